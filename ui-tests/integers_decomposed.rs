//! Linear algebra over integers.

use tensorwrapper::prelude::*;

fn equation(n: &Tensor<i32>) {
    let _ = tensor!([j, i] = inv(n[i, j]));
}

fn main() {}
