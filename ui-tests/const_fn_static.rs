//! An equation over static tensors in a `const fn`, which stays an equation of the run time.

use tensorwrapper::prelude::*;

const fn squares(a: &StaticTensor<f64, Shape![2, 3]>) -> Result<f64, Error> {
    try_tensor!([] = a[i, j] * a[i, j])
}

fn main() {}
