//! `...` that stands for an axis, of which the output says nothing.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let _ = tensorwrapper::einsum!("...i->i", a);
}

fn main() {}
