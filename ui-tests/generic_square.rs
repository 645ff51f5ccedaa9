//! A matrix in generic code that nothing makes square.

use tensorwrapper::prelude::*;

fn equation<T: Element, const N: usize, const M: usize>(a: &Tensor<T, Shape![N, M]>) {
    let _ = tensor!([i, k] = cholesky(a[i, j]));
}

fn main() {}
