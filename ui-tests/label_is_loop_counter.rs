//! A label that is summed, and means nothing to the loop around it.

#![deny(unused_variables)]

use tensorwrapper::prelude::*;

pub fn rows(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![2, 3]>) {
    for i in 0..2 {
        let product = tensor!([] = a[i, k] * b[i, k]);
        println!("{product}");
    }
}

fn main() {}
