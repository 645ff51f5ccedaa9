//! A left side alone.

use tensorwrapper::prelude::*;

fn equation() {
    let _ = tensor!([i, j] =);
}

fn main() {}
