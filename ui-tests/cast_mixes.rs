//! A part that is cast has elements of two types itself.

use tensorwrapper::prelude::*;

fn equation(x: &Tensor<f64, Shape![2]>, y: &Tensor<f32, Shape![2]>) {
    let _ = tensor!([i] = x[i] * cast(y[i] * x[i]));
}

fn main() {}
