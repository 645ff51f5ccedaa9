//! A cast to a type that tensors do not hold.

use tensorwrapper::prelude::*;

fn equation(y: &Tensor<f32, Shape![2]>) {
    let _ = tensor!([i] = cast(i32; y[i]));
}

fn main() {}
