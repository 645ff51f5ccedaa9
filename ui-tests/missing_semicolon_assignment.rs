//! No `;` between two assignments.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, c: &mut Tensor<f64, Shape![2, 3]>) {
    tensor! {
        c[i, j] += a[i, j]
        c[i, j] *= 2.0
    }
}

fn main() {}
