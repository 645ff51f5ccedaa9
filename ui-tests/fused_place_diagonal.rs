//! A diagonal beside a fused axis.

use tensorwrapper::prelude::*;

fn equation(C: &mut Tensor<f64, Shape![6, 2]>, B: &Tensor<f64, Shape![2, 3]>) {
    tensor!(C[(i, j), i] = B[i, j]);
}

fn main() {}
