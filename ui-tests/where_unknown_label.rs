//! An extent of an index that the equation does not have.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3]>) -> Tensor<f64, Shape![3, 4]> {
    tensor!([row, col] = a[row] * 1[col] where cols: 4)
}

fn main() {}
