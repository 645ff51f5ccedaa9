//! A literal that integers do not have.

use tensorwrapper::prelude::*;

fn equation(n: &Tensor<u8>) {
    let _ = tensor!([i] = 0.5 * n[i]);
}

fn main() {}
