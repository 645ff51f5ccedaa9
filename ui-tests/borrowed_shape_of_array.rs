//! A tensor whose extents were given in an array is passed where its rank must be known.

use tensorwrapper::prelude::*;

fn trace<'a>(a: impl Into<TensorRef<'a, f64, Shape![_, _]>>) -> f64 {
    let a = a.into();
    tensor!([] = a[i, i])
}

fn main() {
    let a = Tensor::<f64>::zeros([3, 3]).unwrap();
    let _ = trace(&a);
}
