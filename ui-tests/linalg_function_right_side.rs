//! A right side that has not as many rows as the matrix.
use tensorwrapper::linalg;
use tensorwrapper::prelude::*;

fn main() {
    let a: StaticTensor<f64, Shape![3, 3]> = StaticTensor::zeros();
    let b: StaticTensor<f64, Shape![4]> = StaticTensor::zeros();
    let _ = linalg::solve(&a, &b).eval();
}
