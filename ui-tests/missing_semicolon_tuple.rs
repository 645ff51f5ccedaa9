//! No `;` before a tuple that is the value of a block.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let w = tensor! {
        let u[i, j] = a[i, j];
        let w[i, j] = a[i, j]
        (u, w)
    };
    drop(w);
}

fn main() {}
