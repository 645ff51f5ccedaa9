//! A variable where a label stands.

#![deny(unused_variables)]

use tensorwrapper::prelude::*;

pub fn row(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![2, 3]>) -> f64 {
    let i = 1;
    tensor!([] = a[i, k] * b[i, k])
}

fn main() {}
