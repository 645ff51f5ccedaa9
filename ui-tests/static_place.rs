//! A part of a static tensor of another extent.

use tensorwrapper::prelude::*;

fn equation(c: &mut StaticTensor<f64, Shape![2, 3]>, x: &StaticTensor<f64, Shape![2]>) {
    tensor!(c[0, j] += x[j]);
}

fn main() {}
