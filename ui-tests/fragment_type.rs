//! Types behind `cast` that are none.

use tensorwrapper::prelude::*;

fn main() {
    let a = Tensor::<f32, Shape![3]>::zeros((Const,)).unwrap();
    let _ = tensor!([i] = cast(Vec<; a[i]));
    let _ = tensor!([i] = cast(f64 f32; a[i]));
}
