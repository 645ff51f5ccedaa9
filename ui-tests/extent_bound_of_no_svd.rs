//! A bound of an index that no truncation makes.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![4]>) {
    let _ = tensor!([i] = v[i] where i: ..=2);
}

fn main() {}
