//! A name that another language has.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i] = log(v[i]));
}

fn main() {}
