//! The gradient of a complex number.

use num_complex::Complex;
use tensorwrapper::prelude::*;

fn equation(z: &Tensor<Complex<f64>, Shape![3]>) {
    let _ = tensor! {
        let l = z[i] * z[i];
        let g[i] = grad(l; z[i]);
        g
    };
}

fn main() {}
