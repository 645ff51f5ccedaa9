//! Everything is cast, and nothing says to what.

use tensorwrapper::prelude::*;

fn equation(y: &Tensor<f32, Shape![2]>) {
    let _ = tensor!([i] = cast(y[i]));
}

fn main() {}
