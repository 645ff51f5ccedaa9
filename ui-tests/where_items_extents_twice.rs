//! An index has one extent, whatever stands between its two items.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![_]>) -> Tensor<f64, Shape![4, 3, 2]> {
    tensor!([i, j, k] = a[i] * 1[j, k] where i: 4, j: 3, k: 2, i: 5)
}

fn main() {}
