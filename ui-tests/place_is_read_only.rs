//! A view for reading is assigned to.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>, c: TensorRef<'_, f64, Shape![2]>) {
    tensor!(c[i] += v[i]);
}

fn main() {}
