//! The value of an index in a term that lacks another one.

use tensorwrapper::prelude::*;

fn main() {
    let a = Tensor::<f64>::ones([3, 3]).unwrap();
    let _ = tensor!([i, j] = a[i, j] + iota[i]);
}
