//! The inverse of a matrix that is not square.
use tensorwrapper::linalg;
use tensorwrapper::prelude::*;

fn main() {
    let a: StaticTensor<f64, Shape![2, 3]> = StaticTensor::zeros();
    let _ = linalg::inv(&a).eval();
}
