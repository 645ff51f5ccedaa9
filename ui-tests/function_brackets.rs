//! A function with brackets.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i] = exp[v[i]]);
}

fn main() {}
