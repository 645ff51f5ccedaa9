//! A number less than a matrix, where a multiple of the unit matrix may be meant.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>, x: f64) -> f64 {
    tensor!([] = det(a[i, j] - x))
}

fn main() {}
