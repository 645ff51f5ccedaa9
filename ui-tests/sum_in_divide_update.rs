//! An implicit sum after `/=`.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, c: &mut Tensor<f64, Shape![2]>) {
    tensor!(c[i] /= a[i, k]);
}

fn main() {}
