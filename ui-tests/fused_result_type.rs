//! A fused axis of a result is of another extent than expected.

use tensorwrapper::prelude::*;

fn equation(B: &Tensor<f64, Shape![2, 3]>) {
    let _: Tensor<f64, Shape![5]> = tensor!([(i, j)] = B[i, j]);
}

fn main() {}
