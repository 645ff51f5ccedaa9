//! A matrix whose labels say that it is transposed is a warning.

#![deny(deprecated)]

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>, v: &Tensor<f64, Shape![3]>) -> Tensor<f64, Shape![3]> {
    tensor!([i] = solve(a[i, k], v[k]))
}

fn main() {}
