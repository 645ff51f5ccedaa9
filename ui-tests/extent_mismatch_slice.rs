//! A literal slice is shorter than the other operand.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![4]>, b: &Tensor<f64, Shape![3]>) {
    let _ = tensor!([] = a[i in 0..2] * b[i]);
}

fn main() {}
