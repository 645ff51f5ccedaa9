//! The tensor is borrowed for reading.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>, c: &Tensor<f64, Shape![2]>) {
    tensor!(c[i] += v[i]);
}

fn main() {}
