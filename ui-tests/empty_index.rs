//! Nothing between two commas.

use tensorwrapper::prelude::*;

fn equation(t: &Tensor<f64, Shape![2, 3, 4]>) {
    let _ = tensor!([i, j] = t[i,, j]);
}

fn main() {}
