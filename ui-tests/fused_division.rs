//! No extent of the other label makes the axis.

use tensorwrapper::prelude::*;

fn equation(A: &Tensor<f64, Shape![7]>) {
    let _ = tensor!([i, j] = A[(i, j)] where i: 2);
}

fn main() {}
