//! A decomposition into an existing tensor.

use tensorwrapper::prelude::*;

fn equation(l: &mut Tensor<f64, Shape![3, 3]>, a: &Tensor<f64, Shape![3, 3]>) {
    let _ = tensor! { l[i, k] = cholesky(a[i, j]) };
}

fn main() {}
