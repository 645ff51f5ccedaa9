//! Items of a `where` have commas between them.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![_]>) -> Tensor<f64, Shape![4, 3]> {
    tensor!([i, j] = a[i] * 1[j] where i: 4 && j: 3)
}

fn main() {}
