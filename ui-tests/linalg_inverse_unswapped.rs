//! An inverse with its indices as they were.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>, b: &Tensor<f64, Shape![4, 2]>) {
    let _ = (a, b);
    let _ = tensor!([i, j] = inv(a[i, j]));
}

fn main() {}
