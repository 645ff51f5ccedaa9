//! A variable of grad without its indices.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>) {
    let _ = tensor! {
        let l = a[i, j] * a[i, j];
        let g[i, j] = grad(l; a);
        g
    };
}

fn main() {}
