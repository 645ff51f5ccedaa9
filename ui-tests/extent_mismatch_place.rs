//! The result does not fit the tensor that it is added to.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![3, 4]>, c: &mut Tensor<f64, Shape![2, 5]>) {
    tensor!(c[i, j] += a[i, k] * b[k, j]);
}

fn main() {}
