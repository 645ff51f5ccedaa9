//! A Rust function whose result is indexed.

use tensorwrapper::prelude::*;

fn equation(x: f64) {
    let _ = tensor!([i, j] = fock(x)[i, j]);
}

fn main() {}
