//! Subscripts whose operands do not fit.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![4, 5]>) {
    let _ = einsum!("ik,kj->ij", a, b);
}

fn main() {}
