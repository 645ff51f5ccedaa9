//! One operand too few.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let _ = einsum!("ik,kj->ij", a);
}

fn main() {}
