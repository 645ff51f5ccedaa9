//! The variable is not `mut`.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>) {
    let c = v.clone();
    tensor!(c[i] += v[i]);
}

fn main() {}
