//! Subscripts in generic code whose extents nothing makes equal.

use tensorwrapper::prelude::*;

fn equation<T: Element, const N: usize, const M: usize>(a: &Tensor<T, Shape![N, M]>) {
    let _ = tensorwrapper::einsum!("ij,ij,ji->", a, a, a);
}

fn main() {}
