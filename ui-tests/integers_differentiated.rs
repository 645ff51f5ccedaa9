//! A derivative by integers.

use tensorwrapper::prelude::*;

fn equation(n: &Tensor<i32>) {
    let _ = tensor! { let e = n[i] * n[i]; let g[i] = grad(e; n[i]); g };
}

fn main() {}
