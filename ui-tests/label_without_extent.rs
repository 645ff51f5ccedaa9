//! An index that only a spread constant has.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i, j] = v[i] * 1[j]);
}

fn main() {}
