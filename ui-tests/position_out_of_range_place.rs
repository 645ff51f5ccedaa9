//! A position beyond the end of the tensor that is written.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![3]>, c: &mut Tensor<f64, Shape![2, 3]>) {
    tensor!(c[3, j] = v[j]);
}

fn main() {}
