//! An integer among reals.

use tensorwrapper::prelude::*;

fn equation(n: usize, v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i] = n * v[i]);
}

fn main() {}
