//! `where` as mathematics writes it.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i, j] = v[i] * 1[j] where j = 4);
}

fn main() {}
