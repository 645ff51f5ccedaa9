//! A cast between element types of which nothing says that there is one.

use tensorwrapper::prelude::*;

fn equation(x: &Tensor<impl Element>, y: &Tensor<impl Element>) {
    let _ = tensor!([i] = x[i] * cast(y[i]));
}

fn main() {}
