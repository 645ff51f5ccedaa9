//! A place that is a call.

use tensorwrapper::prelude::*;

fn equation(next: impl Fn() -> usize, v: &mut [Tensor<f64, Shape![3]>]) {
    let _ = tensor! { (v[next()])[i] = 1[i] };
}

fn main() {}
