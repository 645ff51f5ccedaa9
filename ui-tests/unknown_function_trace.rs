//! A trace by name.

use tensorwrapper::prelude::*;

fn equation(A: &Tensor<f64, Shape![2, 2]>) {
    let _ = tensor!([] = trace(A[i, j]));
}

fn main() {}
