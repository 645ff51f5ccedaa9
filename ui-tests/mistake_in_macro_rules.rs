//! A mistake in what another macro writes.

use tensorwrapper::prelude::*;

macro_rules! product {
    ($a:ident, $b:ident) => {
        tensor!([i, j] = $a[i, k] * $b[k, j])
    };
}

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![4, 5]>) {
    let _ = product!(a, b);
}

fn main() {}
