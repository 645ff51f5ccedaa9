//! Blocks that are added to blocks of other extents.

use tensorwrapper::Blocks;
use tensorwrapper::prelude::*;

fn add(sum: &mut Blocks<f64, Shape![3, 4]>, b: &Blocks<f64, Shape![3, 5]>) {
    tensor!(sum[i, j] += b[i, j]);
}

fn main() {}
