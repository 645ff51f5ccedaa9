//! A quotient of integers.

use tensorwrapper::prelude::*;

fn equation(n: &Tensor<i64>, m: &Tensor<i64>) {
    let _ = tensor!([i] = n[i] - n[i] / m[i]);
}

fn main() {}
