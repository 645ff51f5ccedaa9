//! An array is no tensor.

use tensorwrapper::prelude::*;

fn equation(x: [[f64; 2]; 2]) {
    let _ = tensor!([i, j] = x[i, k] * x[k, j]);
}

fn main() {}
