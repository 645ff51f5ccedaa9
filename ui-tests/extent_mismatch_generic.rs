//! Two const parameters that nothing makes equal.

use tensorwrapper::prelude::*;

fn multiply<const M: usize, const N: usize, const P: usize>(
    a: &Tensor<f64, Shape![M, P]>,
    b: &Tensor<f64, Shape![N, M]>,
) -> Tensor<f64, Shape![M, M]> {
    tensor!([i, j] = a[i, k] * b[k, j])
}

fn main() {}
