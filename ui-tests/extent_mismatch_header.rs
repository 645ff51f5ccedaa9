//! A label range declared by a block and an operand disagree.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let w = tensor! {
        where i, j: 3;
        let w[i, j] = a[i, j];
        w
    };
    drop(w);
}

fn main() {}
