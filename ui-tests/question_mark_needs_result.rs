//! A `?` in a function that returns nothing.

use tensorwrapper::prelude::*;

fn equation(a: Option<Tensor<f64, Shape![2, 3]>>) {
    let _ = tensor!([i, j] = (a?)[i, j]);
}

fn main() {}
