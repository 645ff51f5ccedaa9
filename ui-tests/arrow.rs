//! The result at the end, as `einsum` writes it.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![3, 4]>) {
    let _ = tensor!(a[i, k] * b[k, j] -> [i, j]);
}

fn main() {}
