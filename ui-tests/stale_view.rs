//! A view of what the block has written.

use tensorwrapper::prelude::*;

fn equation(c: &mut Tensor<f64, Shape![3]>) {
    let _ = tensor! { c[i] *= 2.0; let d[i] = (c.view())[i]; d };
}

fn main() {}
