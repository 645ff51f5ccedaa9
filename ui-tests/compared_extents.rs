//! A comparison of axes with different extents.

use tensorwrapper::prelude::*;

fn main() {
    let a = Tensor::<f64, Shape![3]>::zeros((Const,)).unwrap();
    let b = Tensor::<f64, Shape![4]>::zeros((Const,)).unwrap();
    let _ = tensor!([i] = select(a[i] > b[i]; a[i], 0.0));
}
