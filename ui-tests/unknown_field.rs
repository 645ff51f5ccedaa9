//! A field that the struct has not.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i] = v.t2[i]);
}

fn main() {}
