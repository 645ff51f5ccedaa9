//! A function of an element as a method.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let _ = tensor!([i, j] = a[i, j].powi(2));
}

fn main() {}
