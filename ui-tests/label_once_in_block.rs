//! A typo in the second equation of a block.

#![deny(warnings)]

use tensorwrapper::prelude::*;

pub fn equation(a: &Tensor<f64, Shape![2, 3]>) -> Tensor<f64, Shape![2, 3]> {
    tensor! {
        let u[i, j] = 2.0 * a[i, j];
        let v[i] = u[i, k];
        let w[i, j] = v[i] * a[i, j];
        w
    }
}

fn main() {}
