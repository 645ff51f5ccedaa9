//! A word of triangles said of a system that has none.
use tensorwrapper::linalg;
use tensorwrapper::prelude::*;

fn main() {
    let a: StaticTensor<f64, Shape![3, 3]> = StaticTensor::zeros();
    let b: StaticTensor<f64, Shape![3]> = StaticTensor::zeros();
    let _ = linalg::solve(&a, &b).upper().eval();
}
