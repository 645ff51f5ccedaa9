//! A function of the program over integers.

use tensorwrapper::prelude::*;

fn equation(n: &Tensor<i32>) {
    let _ = tensor!([i] = map(|x: i32| x + 1; n[i]));
}

fn main() {}
