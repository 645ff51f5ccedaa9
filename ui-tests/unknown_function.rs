//! A function of a similar name is known.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i] = sqr(v[i]));
}

fn main() {}
