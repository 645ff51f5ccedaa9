//! A sum that is assigned to.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>, c: &mut Tensor<f64, Shape![2]>) {
    tensor!(c[i] + v[i] = v[i]);
}

fn main() {}
