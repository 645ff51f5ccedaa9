//! The gradient of a tensor that is written without its indices.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, x: &Tensor<f64, Shape![3]>) {
    let _ = tensor! {
        let y[i] = a[i, j] * x[j];
        let (by_a[i, j], by_x[j]) = grad(y; a[i, j], x[j]);
        (by_a, by_x)
    };
}

fn main() {}
