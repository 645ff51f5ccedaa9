//! An extent of a signed type.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>, n: i32) {
    let _ = tensor!([i, j] = v[i] * 1[j] where j: n);
}

fn main() {}
