//! A position beyond the end of a block tensor's axis.

use tensorwrapper::Blocks;
use tensorwrapper::prelude::*;

fn row(b: &Blocks<f64, Shape![3, 4]>) -> Blocks<f64, Shape![4]> {
    tensor!([j] = b[9, j])
}

fn main() {}
