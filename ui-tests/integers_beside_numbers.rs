//! Integers beside numbers with fractions, without a cast.

use tensorwrapper::prelude::*;

fn equation(n: &Tensor<i32>, x: &Tensor<f64>) {
    let _ = tensor!([i] = x[i] * n[i]);
}

fn main() {}
