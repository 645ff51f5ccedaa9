//! A word of another operation.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>, b: &Tensor<f64, Shape![4, 2]>) {
    let _ = (a, b);
    let _ = tensor!([] = det(a[i, j]; tol = 0.1));
}

fn main() {}
