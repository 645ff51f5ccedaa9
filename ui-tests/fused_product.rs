//! The extents of fused labels do not multiply to the axis'.

use tensorwrapper::prelude::*;

fn equation(A: &Tensor<f64, Shape![7]>, B: &Tensor<f64, Shape![2, 3]>) {
    let _ = tensor!([i, j] = A[(i, j)] * B[i, j]);
}

fn main() {}
