//! All faults of a block.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let (u, w) = tensor! {
        let u[i, j] = a[i][j];
        let v[i, j] = a[i, j] * sqr(a[i, j]);
        let w[i, j] = a[i, j] + 1.0;
        (u, w, x)
    };
    println!("{u} {w}");
}

fn main() {}
