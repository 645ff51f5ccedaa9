//! Another language's word for a cast.

use tensorwrapper::prelude::*;

fn equation(x: &Tensor<f64, Shape![2]>, y: &Tensor<f32, Shape![2]>) {
    let _ = tensor!([i] = x[i] * astype(y[i]));
}

fn main() {}
