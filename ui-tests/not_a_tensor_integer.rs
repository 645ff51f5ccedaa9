//! An integer is indexed as a tensor is.

use tensorwrapper::prelude::*;

fn equation(n: usize, v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i] = n[i] * v[i]);
}

fn main() {}
