//! A result in generic code with its axes in another order than its type says.

use tensorwrapper::prelude::*;

fn equation<const N: usize, const M: usize>(a: &Tensor<f64, Shape![N, M]>) -> Tensor<f64, Shape![N, M]> {
    tensor!([j, i] = a[i, j])
}

fn main() {}
