//! Two names for one result.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let (u, w) = tensor! {
        let (u[i], w[j]) = a[i, j];
        (u, w)
    };
    println!("{u} {w}");
}

fn main() {}
