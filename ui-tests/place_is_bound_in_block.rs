//! A local name is assigned to.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>) {
    let w = tensor! {
        let w[i] = v[i];
        w[i] += v[i];
        w
    };
    drop(w);
}

fn main() {}
