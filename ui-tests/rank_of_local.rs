//! A name bound in the block.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![3, 4]>) {
    let w = tensor! {
        let u[i, j] = a[i, k] * b[k, j];
        let w[i] = u[i];
        w
    };
    drop(w);
}

fn main() {}
