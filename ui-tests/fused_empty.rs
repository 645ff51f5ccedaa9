//! A fused axis without labels.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([()] = v[0]);
}

fn main() {}
