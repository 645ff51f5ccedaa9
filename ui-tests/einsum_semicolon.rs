//! `;` between the operands of subscripts.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![3, 2]>) {
    let _ = einsum!("ij;jk->ik", a, b);
}

fn main() {}
