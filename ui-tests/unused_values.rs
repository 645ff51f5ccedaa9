//! Values that are computed and dropped.

#![deny(unused_must_use)]

use tensorwrapper::prelude::*;

fn equations(a: &Tensor<f64, Shape![2, 2]>, c: &mut Tensor<f64, Shape![2, 2]>) {
    tensor!([i, j] = a[i, k] * a[k, j]);
    tensor!([] = a[i, i]);
    tensor! {
        let w[i, j] = a[j, i];
        let e = w[i, i];
        (w, e)
    };
    try_tensor!([i, j] = a[j, i]);
    tensorwrapper::einsum!("ij->ji", a);
    try_einsum!("ij->ji", a);
    a.at("ij");
    try_tensor!(c[i, j] = a[j, i]);
    // What is written needs no value, and a value may be dropped on purpose.
    tensor!(c[i, j] = a[j, i]);
    let _ = tensor!([i, j] = a[i, k] * a[k, j]);
}

fn main() {}
