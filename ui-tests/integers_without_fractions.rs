//! A function of integers that gives numbers with fractions.

use tensorwrapper::prelude::*;

fn exponentials(counts: &Tensor<i32, Shape![3]>) {
    let _ = tensor!([i] = 2 * exp(counts[i]));
}

fn main() {}
