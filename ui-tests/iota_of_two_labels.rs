//! The value of an index is that of one.

use tensorwrapper::prelude::*;

fn main() {
    let a = Tensor::<f64>::ones([3, 3]).unwrap();
    let _ = tensor!([i, j] = a[i, j] * iota[i, j]);
}
