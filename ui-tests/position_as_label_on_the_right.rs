//! The counter of a loop where a position is meant, on the right.

#![deny(deprecated)]

use tensorwrapper::prelude::*;

fn rows(st: &Tensor<f64, Shape![3, 2]>) {
    for k in 0..3 {
        let row = tensor!([j] = st[k, j]);
        println!("{k}: {row}");
    }
}

fn main() {}
