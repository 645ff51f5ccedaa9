//! Constants that are imported with all others have the names of labels.

use std::f64::consts::*;
use tensorwrapper::prelude::*;

fn energies(a: &Tensor<f64, Shape![3, 4]>, b: &Tensor<f64, Shape![4, 5]>) {
    let _ = tensor!([i, E] = a[i, k] * b[k, E]);
    let _ = 2.0 * PI;
}

fn main() {}
