//! Labels with primes, as on paper.

use tensorwrapper::prelude::*;

fn square(a: &Tensor<f64, Shape![2, 2]>) -> Tensor<f64, Shape![2, 2]> {
    tensor!([i, j] = a[i, k'] * a[k', j])
}

fn main() {}
