//! A tensor of integers there is none, and an integer is not indexed.

use tensorwrapper::prelude::*;

fn equation(n: usize, v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i] = n[i] * v[i]);
}

fn main() {}
