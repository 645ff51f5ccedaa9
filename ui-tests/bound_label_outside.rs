//! A label of `sum` used outside of it too.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, v: &Tensor<f64, Shape![3]>) {
    let _ = tensor!([i] = sum(k; a[i, k]) * v[k]);
}

fn main() {}
