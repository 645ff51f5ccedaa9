//! An implicit sum under `prod`.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, w: &Tensor<f64, Shape![3]>) {
    let _ = tensor!([] = prod(i; a[i, k] * w[k]));
}

fn main() {}
