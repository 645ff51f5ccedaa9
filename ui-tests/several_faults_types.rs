//! Faults that only types show, in three equations.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![4, 5]>, x: &Vec<f64>) {
    let w = tensor! {
        let u[i, j] = a[i, k] * b[k, j];
        let v[i] = u[i, j, k] * a[j, k];
        let w[i, j] = x[i, j] * v[i];
        w
    };
    drop(w);
}

fn main() {}
