//! An equation that is assigned to a place, in a `const fn`.

use tensorwrapper::prelude::*;

const fn double(a: &mut Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![2, 3]>) {
    tensor!(a[i, j] = 2 * b[i, j]);
}

fn main() {}
