//! A number of another type in an equation over abstract elements.

use tensorwrapper::prelude::*;

fn equation<T: Element>(x: &Tensor<T>, n: f64) {
    let _ = tensor!([i] = n * x[i]);
}

fn main() {}
