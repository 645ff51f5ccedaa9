//! A semicolon after the value of a block.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>) {
    let _ = tensor! {
        let w[i] = 2.0 * v[i];
        [i] = w[i] * w[i];
    };
}

fn main() {}
