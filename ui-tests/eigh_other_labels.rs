//! The two matrices have different indices.

use tensorwrapper::prelude::*;

fn equation(f: &Tensor<f64, Shape![3, 3]>, s: &Tensor<f64, Shape![3, 3]>) {
    let _ = tensor!(([n], [p, n]) = eigh(f[p, q], s[p, r]));
}

fn main() {}
