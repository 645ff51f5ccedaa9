//! A whole axis as Python and Fortran write it.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64>) {
    let _ = tensor!([i] = a[i, :]);
}

fn main() {}
