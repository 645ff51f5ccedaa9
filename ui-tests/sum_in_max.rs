//! An implicit sum under `max`.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let _ = tensor!([] = max(i; a[i, k]));
}

fn main() {}
