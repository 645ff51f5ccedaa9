//! A type after a name.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let w = tensor! {
        let w: Tensor<f64, Shape![2, 3]> = a[i, j];
        w
    };
    drop(w);
}

fn main() {}
