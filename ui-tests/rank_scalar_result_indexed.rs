//! A plain number bound in the block has no axes.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, v: &Tensor<f64, Shape![2]>) {
    let w = tensor! {
        let e = a[i, j] * a[i, j];
        let w[i] = e[i] * v[i];
        w
    };
    drop(w);
}

fn main() {}
