//! Uses of the value of what is no equation are not reported.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![3, 4]>) {
    let (c, e) = tensor! {
        let c[i, j] = a[i, k] * * b[k, j];
        let e = c[i, i];
        (c, e)
    };
    println!("{} {}", c.extents()[0], e + 1.0);
}

fn main() {}
