//! A number where a range is due.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>, n: usize) {
    let _ = tensor!([i] = v[i in n]);
}

fn main() {}
