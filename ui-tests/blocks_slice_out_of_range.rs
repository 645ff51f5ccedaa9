//! A range beyond the end of a block tensor's axis.

use tensorwrapper::Blocks;
use tensorwrapper::prelude::*;

fn rows(b: &Blocks<f64, Shape![3, 4]>) {
    let _ = tensor!([i, j] = b[i in 2..9, j]);
}

fn main() {}
