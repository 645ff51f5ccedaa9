//! Remaining axes on the right alone.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64>) {
    let _ = tensor!([i] = a[.., i]);
}

fn main() {}
