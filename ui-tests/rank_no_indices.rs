//! A tensor written as if it were of rank 0.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![3, 3]>) {
    let _ = tensor!([] = a[] * b[i, i]);
}

fn main() {}
