//! A number side by side with an operand.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let _ = tensor!([i, j] = 2.0 a[i, j]);
}

fn main() {}
