//! A vector is assigned to.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>, c: &mut Vec<f64>) {
    tensor!(c[i] += v[i]);
}

fn main() {}
