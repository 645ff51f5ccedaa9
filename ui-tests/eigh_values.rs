//! The values have an index of the matrix.

use tensorwrapper::prelude::*;

fn equation(f: &Tensor<f64, Shape![3, 3]>) {
    let _ = tensor!(([p], [p, n]) = eigh(f[p, q]));
}

fn main() {}
