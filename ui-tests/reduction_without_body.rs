//! A `sum` of nothing.

use tensorwrapper::prelude::*;

fn equation() {
    let _ = tensor!([i] = sum(k;));
}

fn main() {}
