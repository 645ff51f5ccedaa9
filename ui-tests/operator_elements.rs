//! A whole number is added to a tensor of others.

use tensorwrapper::prelude::*;

fn shifted(a: &Tensor<f64, Shape![2, 3]>) {
    let _ = a + 1;
}

fn main() {}
