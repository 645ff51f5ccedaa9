//! A generic function over tensors does not say that their elements are numbers.

use tensorwrapper::prelude::*;

fn norm<T>(a: &Tensor<T>) -> T {
    tensor!([] = a[i] * a[i])
}

fn main() {}
