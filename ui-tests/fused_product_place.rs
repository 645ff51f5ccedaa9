//! The extents of fused labels do not multiply to those of the tensor that is written.

use tensorwrapper::prelude::*;

fn equation(C: &mut Tensor<f64, Shape![7, 2]>, B: &Tensor<f64, Shape![2, 3]>) {
    tensor!(C[(i, j), 0] = B[i, j]);
}

fn main() {}
