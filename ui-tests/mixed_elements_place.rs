//! A single added to doubles.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f32, Shape![2]>, c: &mut Tensor<f64, Shape![2]>) {
    tensor!(c[i] += v[i]);
}

fn main() {}
