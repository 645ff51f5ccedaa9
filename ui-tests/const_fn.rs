//! An equation in a `const fn`.

use tensorwrapper::prelude::*;

const fn product(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![3, 4]>) -> Tensor<f64, Shape![2, 4]> {
    tensor!([i, j] = a[i, k] * b[k, j])
}

fn main() {}
