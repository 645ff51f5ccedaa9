//! A sparse map.

use tensorwrapper::prelude::*;

fn equation(t: &Tensor<f64, Shape![2, 3]>) {
    let _ = tensor!([i, a] = t[i, a] where a in l[i]);
}

fn main() {}
