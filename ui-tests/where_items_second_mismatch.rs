//! The second item of a `where` gives another extent than the operand has.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![4, 3]>) -> Tensor<f64, Shape![4, 3, 2]> {
    tensor!([i, j, k] = a[i, j] * 1[k] where k: 2, j: 5)
}

fn main() {}
