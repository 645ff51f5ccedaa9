//! A function in generic code of which nothing says that threads can share it.

use tensorwrapper::prelude::*;

fn equation<T: Element, F: Fn(T) -> T>(x: &Tensor<T>, f: F) {
    let _ = tensor!([i] = map(f; x[i]));
}

fn main() {}
