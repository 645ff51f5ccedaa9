//! The first place of the index is known at run time only, the next two disagree.

use tensorwrapper::prelude::*;

fn equation(x: &Tensor<f64, Shape![_]>, a: &Tensor<f64, Shape![2]>, b: &Tensor<f64, Shape![3]>) {
    let _ = tensor!([] = x[k] * a[k] * b[k]);
}

fn main() {}
