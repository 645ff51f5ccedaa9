//! A constant in the place of a position.

use tensorwrapper::prelude::*;

const LAST: usize = 2;

fn equation(a: &Tensor<f64, Shape![3, 3]>) -> Tensor<f64, Shape![3]> {
    tensor!([i] = a[i, LAST])
}

fn main() {}
