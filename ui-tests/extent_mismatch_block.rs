//! The third equation of a block is wrong.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![3, 4]>) {
    let w = tensor! {
        let u[i, j] = a[i, k] * b[k, j];
        let v[i, j] = 2.0 * u[i, j];
        let w[i, j] = v[i, k] * b[k, j];
        w
    };
    drop(w);
}

fn main() {}
