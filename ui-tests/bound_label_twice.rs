//! A label named twice by one `sum`.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let _ = tensor!([i] = sum(k, k; a[i, k]));
}

fn main() {}
