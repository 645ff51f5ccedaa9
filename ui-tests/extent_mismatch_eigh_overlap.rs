//! The overlap is of another size.

use tensorwrapper::prelude::*;

fn equation(f: &Tensor<f64, Shape![3, 3]>, s: &Tensor<f64, Shape![4, 4]>) {
    let _ = tensor!(([n], [p, n]) = eigh(f[p, q], s[p, q]));
}

fn main() {}
