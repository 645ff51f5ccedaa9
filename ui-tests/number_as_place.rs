//! A number that is assigned to.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>, e: f64) {
    tensor!(e = v[i] * v[i]);
}

fn main() {}
