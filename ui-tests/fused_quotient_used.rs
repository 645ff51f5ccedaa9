//! A label of a fused axis has the extent that the others leave.

use tensorwrapper::prelude::*;

fn equation(A: &Tensor<f64, Shape![12]>, x: &Tensor<f64, Shape![4]>, y: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i] = A[(i, j)] * x[j] * y[i]);
}

fn main() {}
