//! A generic extent of a static tensor against a number.

use tensorwrapper::prelude::*;

fn equation<const N: usize>(a: &StaticTensor<f64, Shape![N]>, b: &StaticTensor<f64, Shape![4]>) -> f64 {
    tensor!([] = a[i] * b[i])
}

fn main() {}
