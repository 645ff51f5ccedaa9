//! A value form in the middle of a block.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let w = tensor! {
        [i, j] = a[i, j];
        let w[i, j] = a[i, j];
        w
    };
    drop(w);
}

fn main() {}
