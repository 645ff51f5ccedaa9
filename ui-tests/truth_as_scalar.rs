//! A truth value of a block where a number belongs.

use tensorwrapper::prelude::*;

fn equation(x: &Tensor<f64, Shape![3]>) -> Tensor<f64, Shape![3]> {
    tensor! {
        let c = sum(k; x[k]) > 0.0;
        let y[i] = c * x[i];
        y
    }
}

fn main() {}
