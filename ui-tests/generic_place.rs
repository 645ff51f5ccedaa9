//! An assignment in generic code whose extents nothing makes equal.

use tensorwrapper::prelude::*;

fn equation<const N: usize, const M: usize>(c: &mut Tensor<f64, Shape![N, N]>, a: &Tensor<f64, Shape![N, M]>) {
    tensor!(c[i, j] += a[i, j]);
}

fn main() {}
