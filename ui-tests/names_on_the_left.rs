//! Several results with their names.

use tensorwrapper::prelude::*;

fn equation(f: &Tensor<f64, Shape![3, 3]>) {
    let _ = tensor!((e[n], c[p, n]) = eigh(f[p, q]));
}

fn main() {}
