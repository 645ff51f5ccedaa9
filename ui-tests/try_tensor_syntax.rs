//! `try_tensor!` says what `tensor!` says.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let _ = try_tensor!([i, j] = a[i][j]);
}

fn main() {}
