//! A tensor of known extents, given to a function that takes those of unknown extents alone.

use tensorwrapper::prelude::*;

fn norm(a: &Tensor<f64, Shape![_, _]>) -> f64 {
    tensor!([] = a[i, j] * a[i, j])
}

fn equation(a: &Tensor<f64, Shape![3, 4]>) -> f64 {
    norm(a)
}

fn main() {}
