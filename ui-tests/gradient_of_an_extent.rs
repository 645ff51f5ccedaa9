//! A direction with another extent than the variable.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, x: &Tensor<f64, Shape![3]>, d: &Tensor<f64, Shape![4]>) {
    let _ = tensor! {
        let y[i] = a[i, j] * x[j];
        let change[i] = grad(y[i]; x[j]) * d[j];
        change
    };
}

fn main() {}
