//! A condition of another rank.

use tensorwrapper::prelude::*;

fn main() {
    let a = Tensor::<f64, Shape![3, 3]>::zeros((Const, Const)).unwrap();
    let m = tensor!([i, j] = a[i, j] > 0.0);
    let _ = tensor!([i] = select(m[i]; a[i, i], 0.0));
}
