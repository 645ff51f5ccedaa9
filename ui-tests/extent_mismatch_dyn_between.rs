//! The constants that disagree stand on both sides of a run-time extent.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2]>, x: &Tensor<f64, Shape![_]>, b: &Tensor<f64, Shape![3]>) {
    let _ = tensor!([] = a[k] * x[k] * b[k]);
}

fn main() {}
