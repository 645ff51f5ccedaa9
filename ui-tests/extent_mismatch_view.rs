//! Views are checked as tensors are.

use tensorwrapper::prelude::*;

fn equation(a: TensorRef<'_, f64, Shape![2, 3]>, b: TensorRef<'_, f64, Shape![4, 5]>) -> Tensor<f64, Shape![2, 5]> {
    tensor!([i, j] = a[i, k] * b[k, j])
}

fn main() {}
