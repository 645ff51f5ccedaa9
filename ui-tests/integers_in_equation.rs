//! A tensor of integers stands in an equation.

use tensorwrapper::prelude::*;

fn square(counts: &Tensor<i32, Shape![3]>) {
    let _ = tensor!([i] = counts[i] * counts[i]);
}

fn main() {}
