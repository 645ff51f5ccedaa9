//! Nothing at all.

use tensorwrapper::prelude::*;

fn equation() {
    let _ = tensor!();
}

fn main() {}
