//! Nothing says that `X` is a tensor.

use tensorwrapper::prelude::*;

fn equation(x: &impl Clone) {
    let _ = tensor!([i] = x[i]);
}

fn main() {}
