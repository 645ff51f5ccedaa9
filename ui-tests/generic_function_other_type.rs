//! A function in generic code of other elements than the equation has.

use tensorwrapper::prelude::*;

fn equation<T: Element>(x: &Tensor<T>) {
    let _ = tensor!([i] = map(f64::sqrt; x[i]));
}

fn main() {}
