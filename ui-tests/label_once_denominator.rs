//! A factor of a denominator is a factor: its own index is summed, with a warning.

#![deny(warnings)]

use tensorwrapper::prelude::*;

pub fn equation(a: &Tensor<f64, Shape![2, 3]>, v: &Tensor<f64, Shape![2]>) -> Tensor<f64, Shape![2]> {
    tensor!([i] = v[i] / a[i, k])
}

fn main() {}
