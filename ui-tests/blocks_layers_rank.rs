//! Layers of indices, of which there are more than the block tensor's type has axes.

use tensorwrapper::Blocks;
use tensorwrapper::prelude::*;

fn twice(b: &Blocks<f64, Shape![3, 4]>) {
    let _twice = tensor!([i; j, k] = 2 * b[i; j, k]);
}

fn main() {}
