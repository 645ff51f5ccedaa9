//! A place on the left that is no Rust expression.

use tensorwrapper::prelude::*;

fn main() {
    let a = Tensor::<f64, Shape![3]>::zeros((Const,)).unwrap();
    let mut all = [a.clone()];
    tensor!((all[0 +])[i] = a[i]);
    tensor!((all 0)[i] += a[i]);
}
