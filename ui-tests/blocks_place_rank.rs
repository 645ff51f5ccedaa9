//! A place of blocks with fewer indices than axes.

use tensorwrapper::Blocks;
use tensorwrapper::prelude::*;

fn add(sum: &mut Blocks<f64, Shape![3, 4]>, b: &Blocks<f64, Shape![3]>) {
    tensor!(sum[i] += b[i]);
}

fn main() {}
