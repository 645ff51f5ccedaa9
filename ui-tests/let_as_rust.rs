//! The name and the indices apart.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let w = tensor! {
        let w = [i, j] = a[i, j];
        w
    };
    drop(w);
}

fn main() {}
