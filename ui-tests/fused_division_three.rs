//! No extent of the label in the middle makes the axis.

use tensorwrapper::prelude::*;

fn equation(A: &Tensor<f64, Shape![12, 2]>, B: &Tensor<f64, Shape![5, 4]>, x: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i, j, k] = A[(i, j, k), 0] * x[k] * B[i, 3]);
}

fn main() {}
