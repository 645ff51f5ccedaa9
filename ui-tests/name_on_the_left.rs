//! A name without `let`.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![3, 4]>) {
    let c = tensor!(c[i, j] = a[i, k] * b[k, j]);
    drop(c);
}

fn main() {}
