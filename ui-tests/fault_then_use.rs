//! Uses of the value of a wrong macro are not reported.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![3, 4]>) {
    let c = tensor!([i, m] = a[i, k] * b[k, j]);
    let d = tensor!([i, m] = 2.0 * c[i, m]);
    let norm: f64 = c.as_slice().iter().sum();
    println!("{} {d} {norm}", c.extents()[0]);
}

fn main() {}
