//! A declared extent does not make a left index occur.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i, m] = a[i] where m: 4);
}

fn main() {}
