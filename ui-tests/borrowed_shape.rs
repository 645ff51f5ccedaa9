//! A tensor given to a function that wants another number of rows.

use tensorwrapper::prelude::*;

fn sum<'a>(rows: impl Into<TensorRef<'a, f64, Shape![3, _]>>) -> f64 {
    let rows = rows.into();
    tensor!([] = sum(i, j; rows[i, j]))
}

fn four(a: &Tensor<f64, Shape![4, 2]>) -> f64 {
    sum(a)
}

fn main() {}
