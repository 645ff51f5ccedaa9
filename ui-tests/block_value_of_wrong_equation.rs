//! A wrong equation does not make its uses wrong.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![3, 4]>) {
    let (v, w) = tensor! {
        let u[i, j] = a[i, k] * / b[k, j];
        let v[i, j] = 2.0 * u[i, j];
        let w[i, j] = u[i, j] + v[i, j] + b[j];
        (v, w)
    };
    println!("{v} {w}");
}

fn main() {}
