//! A matrix that is not square has no eigenvalues.

use tensorwrapper::prelude::*;

fn equation(f: &Tensor<f64, Shape![2, 3]>) {
    let _ = tensor!(([n], [p, n]) = eigh(f[p, q]));
}

fn main() {}
