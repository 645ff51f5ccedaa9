//! More indices than a static tensor has axes.

use tensorwrapper::prelude::*;

fn equation(a: &StaticTensor<f64, Shape![2, 3]>, b: &StaticTensor<f64, Shape![3]>) {
    let _ = tensor!([i, j] = a[i, j, k] * b[k]);
}

fn main() {}
