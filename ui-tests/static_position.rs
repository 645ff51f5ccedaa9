//! A position beyond the axis of a static tensor.

use tensorwrapper::prelude::*;

fn equation(a: &StaticTensor<f64, Shape![2, 3]>) -> StaticTensor<f64, Shape![2]> {
    tensor!([i] = a[i, 3])
}

fn main() {}
