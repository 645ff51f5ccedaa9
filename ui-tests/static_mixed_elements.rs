//! Static tensors of singles and doubles.

use tensorwrapper::prelude::*;

fn equation(v: &StaticTensor<f64, Shape![2]>, w: &StaticTensor<f32, Shape![2]>) -> StaticTensor<f64, Shape![2]> {
    tensor!([i] = v[i] * w[i])
}

fn main() {}
