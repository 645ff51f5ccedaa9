//! The pair is named the other way round than the result keeps it.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3, 3]>) {
    let _ = tensor!([b, i, k] = cholesky(j, i; a[b, i, j]));
}

fn main() {}
