//! An operand that was moved before.

use tensorwrapper::prelude::*;

fn equation(a: Tensor<f64, Shape![2, 3]>) {
    drop(a);
    let _ = tensor!([i, j] = a[i, j]);
}

fn main() {}
