//! A type and what is cast to it with a comma between them.

use tensorwrapper::prelude::*;

fn equation(y: &Tensor<f32, Shape![2]>) {
    let _ = tensor!([i] = cast(f64, y[i]));
}

fn main() {}
