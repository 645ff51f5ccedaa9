//! The rank is known though the extents are not.

use tensorwrapper::prelude::*;

fn trace<N: Len, P: Len>(a: &Tensor<f64, (N, P)>) -> f64 {
    tensor!([] = a[i, i, i])
}

fn main() {}
