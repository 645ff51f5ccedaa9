//! A position of a signed type.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, n: i32) {
    let _ = tensor!([j] = a[{ n }, j]);
}

fn main() {}
