//! No comma between two labels.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let _ = tensor!([i, j] = a[i j]);
}

fn main() {}
