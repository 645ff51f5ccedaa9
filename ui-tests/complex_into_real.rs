//! A complex result is written into a real tensor.

use tensorwrapper::prelude::*;

fn written(s: &mut Tensor<f64, Shape![3]>, z: &Tensor<Complex<f64>, Shape![3]>) {
    tensor!(s[i] += z[i]);
}

fn main() {}
