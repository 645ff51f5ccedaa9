//! The block's `where` at the end.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let w = tensor! {
        let w[i, j] = a[i, j];
        where i: 2;
        w
    };
    drop(w);
}

fn main() {}
