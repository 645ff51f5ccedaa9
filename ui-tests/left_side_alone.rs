//! Indices alone.

use tensorwrapper::prelude::*;

fn equation() {
    let _ = tensor!([i, j]);
}

fn main() {}
