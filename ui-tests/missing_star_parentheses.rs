//! An operand side by side with a parenthesis.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![3, 4]>, c: &Tensor<f64, Shape![3, 4]>) {
    let _ = tensor!([i, j] = a[i, k] (b[k, j] + c[k, j]));
}

fn main() {}
