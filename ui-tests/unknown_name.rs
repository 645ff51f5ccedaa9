//! A name that is not in scope.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i] = x[i] * v[i]);
}

fn main() {}
