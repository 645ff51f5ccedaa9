//! Nothing after `in`.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>) {
    let w = tensor! {
        in;
        let w[i] = v[i];
        w
    };
    drop(w);
}

fn main() {}
