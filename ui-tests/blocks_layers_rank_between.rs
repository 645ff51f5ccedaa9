//! Operands of the same layers, one of which has fewer indices than its type has axes.

use tensorwrapper::Blocks;
use tensorwrapper::prelude::*;

fn product(a: &Blocks<f64, Shape![3, 4, 2]>, b: &Blocks<f64, Shape![3, 4, 2]>) {
    let _product = tensor!([i; j, k] = a[i; j, k] * b[i; j]);
}

fn main() {}
