//! No `;` between two `let`s.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let w = tensor! {
        let u[i, j] = a[i, j]
        let w[i, j] = u[i, j];
        w
    };
    drop(w);
}

fn main() {}
