//! A name that the block does not bind.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let w = tensor! {
        let w[i, j] = a[i, j];
        (w, x)
    };
    drop(w);
}

fn main() {}
