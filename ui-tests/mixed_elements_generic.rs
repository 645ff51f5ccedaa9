//! Two element types that nothing makes equal.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<impl Element>, w: &Tensor<impl Element>) {
    let _ = tensor!([i] = v[i] * w[i]);
}

fn main() {}
