//! A cast to another type than the equation has.

use tensorwrapper::prelude::*;

fn equation(x: &Tensor<f64, Shape![2]>, y: &Tensor<f32, Shape![2]>) {
    let _ = tensor!([i] = x[i] * cast(f32; y[i]));
}

fn main() {}
