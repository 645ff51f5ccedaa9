//! `eigh` has two results.

use tensorwrapper::prelude::*;

fn equation(f: &Tensor<f64, Shape![3, 3]>) {
    let _ = tensor!([n] = eigh(f[p, q]));
}

fn main() {}
