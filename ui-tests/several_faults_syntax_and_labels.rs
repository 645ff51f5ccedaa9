//! Faults of syntax and of meaning, in one block.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let (u, w) = tensor! {
        let u[i, j] = a[i, j] +;
        let v[i] = a[i, j] * v[k];
        let w[i, j, k] = u[i, j];
        (u, w, x)
    };
}

fn main() {}
