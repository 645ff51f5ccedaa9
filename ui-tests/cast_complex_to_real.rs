//! Complex elements are cast to real ones.

use num_complex::Complex;
use tensorwrapper::prelude::*;

fn equation(x: &Tensor<f64, Shape![2]>, z: &Tensor<Complex<f64>, Shape![2]>) {
    let _ = tensor!([i] = x[i] * cast(z[i]));
}

fn main() {}
