//! Several results without parentheses.

use tensorwrapper::prelude::*;

fn equation(f: &Tensor<f64, Shape![3, 3]>) {
    let _ = tensor!([n], [p, n] = eigh(f[p, q]));
}

fn main() {}
