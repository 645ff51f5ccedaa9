//! `+=` needs all left indices too.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>, c: &mut Tensor<f64, Shape![2, 3]>) {
    tensor!(c[i, j] += v[i]);
}

fn main() {}
