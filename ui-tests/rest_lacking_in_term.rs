//! A term without the remaining axes.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64>, v: &Tensor<f64, Shape![4]>) {
    let _ = tensor!([.., i] = a[.., i] + v[i]);
}

fn main() {}
