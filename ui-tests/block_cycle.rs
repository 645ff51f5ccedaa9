//! A name that is read before it is there: equations of a block cannot go in a circle.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3]>) {
    let c = tensor! {
        let b[i] = a[i] + c[i];
        let c[i] = 2.0 * b[i];
        c
    };
    drop(c);
}

fn main() {}
