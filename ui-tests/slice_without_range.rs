//! Nothing after `in`.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![4]>) {
    let _ = tensor!([i] = v[i in]);
}

fn main() {}
