//! Fewer results than variables.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3]>, b: &Tensor<f64, Shape![3]>) {
    let _ = tensor! {
        let l = a[i] * b[i];
        let g[i] = grad(l; a[i], b[i]);
        g
    };
}

fn main() {}
