//! A label that is a constant in scope.

use tensorwrapper::prelude::*;

const N: usize = 3;

fn equation(a: &Tensor<f64, Shape![3, 3]>) -> f64 {
    tensor!([] = a[N, N])
}

fn main() {}
