//! A `?` behind an equation that panics instead of returning its faults.

use tensorwrapper::prelude::*;

fn product(a: &Tensor<f64>, b: &Tensor<f64>) -> Result<Tensor<f64>, Error> {
    Ok(tensor!([i, j] = a[i, k] * b[k, j])?.into_dyn())
}

fn main() {}
