//! The tensor that is written has more axes.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![3]>, c: &mut Tensor<f64, Shape![2, 3]>) {
    tensor!(c[i] += a[i, j] * b[j]);
}

fn main() {}
