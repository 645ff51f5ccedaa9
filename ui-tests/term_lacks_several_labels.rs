//! A term that lacks two of the left indices.

use tensorwrapper::prelude::*;

fn equation(t: &Tensor<f64, Shape![2, 3, 4]>, v: &Tensor<f64, Shape![4]>) {
    let _ = tensor!([i, j, k] = t[i, j, k] - v[k]);
}

fn main() {}
