//! Numbers with fractions cast to the integers of a target.

use tensorwrapper::prelude::*;

fn equation(n: &mut Tensor<i32>, x: &Tensor<f64>) {
    tensor!(n[i] = cast(x[i]));
}

fn main() {}
