//! A typo in an index is a warning.

#![deny(deprecated)]

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>, b: &Tensor<f64, Shape![3, 3]>) -> f64 {
    tensor!([] = a[i, k] * b[l, i])
}

fn main() {}
