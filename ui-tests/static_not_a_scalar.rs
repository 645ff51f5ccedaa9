//! A number of another type beside a static tensor.

use tensorwrapper::prelude::*;

fn equation(s: f32, v: &StaticTensor<f64, Shape![2]>) -> StaticTensor<f64, Shape![2]> {
    tensor!([i] = s * v[i])
}

fn main() {}
