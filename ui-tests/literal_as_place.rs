//! A literal that is assigned to.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>) {
    tensor!(1.0 = v[i] * v[i]);
}

fn main() {}
