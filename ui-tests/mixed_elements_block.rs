//! The second equation of a block mixes.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>, x: &Tensor<f32, Shape![2]>) {
    let w = tensor! {
        let u[i] = 2.0 * v[i];
        let w[i] = u[i] * x[i];
        w
    };
    drop(w);
}

fn main() {}
