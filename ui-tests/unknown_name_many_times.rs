//! A name that is not in scope, in several places.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i] = x[i] * v[i] + x[i] + v[i] * y);
}

fn main() {}
