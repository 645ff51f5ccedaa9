//! An expression as the value of a block.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let w = tensor! {
        let w[i, j] = a[i, j];
        w[i, j] * 2.0
    };
    drop(w);
}

fn main() {}
