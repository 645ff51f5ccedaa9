//! What follows a wrong equation is not reported too.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![4, 5]>) {
    let c = tensor!([i, j] = a[i, k] * b[k, j]);
    let d: Tensor<f64, Shape![2, 5]> = tensor!([i, j] = 2.0 * c[i, j]);
    println!("{} {}", c.extents()[0], d);
}

fn main() {}
