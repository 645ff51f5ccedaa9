//! An axis of a whole tensor is named by a label.

use tensorwrapper::prelude::*;

fn sums(a: &Tensor<f64, Shape![2, 3]>) {
    let _ = a.sum_along("i");
}

fn main() {}
