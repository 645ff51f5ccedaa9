//! One label with a prime, which nothing ends.

use tensorwrapper::prelude::*;

fn column(a: &Tensor<f64, Shape![2, 2]>) -> Tensor<f64, Shape![2, 2]> {
    tensor!([i, j] = a[i', j])
}

fn main() {}
