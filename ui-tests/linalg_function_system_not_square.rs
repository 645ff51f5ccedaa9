//! A system of equations whose matrix is not square.
use tensorwrapper::linalg;
use tensorwrapper::prelude::*;

fn main() {
    let a: StaticTensor<f64, Shape![2, 3]> = StaticTensor::zeros();
    let b: StaticTensor<f64, Shape![2]> = StaticTensor::zeros();
    let _ = linalg::solve(&a, &b).eval();
}
