//! A label that is a const parameter.

use tensorwrapper::prelude::*;

fn equation<const N: usize>(a: &Tensor<f64, Shape![N, N]>) -> f64 {
    tensor!([] = a[N, N])
}

fn main() {}
