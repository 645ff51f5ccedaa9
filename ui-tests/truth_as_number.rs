//! A tensor of truth values as a factor.

use tensorwrapper::prelude::*;

fn main() {
    let a = Tensor::<f64, Shape![3]>::zeros((Const,)).unwrap();
    let m = tensor!([i] = a[i] > 0.0);
    let _ = tensor!([i] = a[i] * m[i]);
}
