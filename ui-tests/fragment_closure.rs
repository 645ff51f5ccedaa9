//! Closures of `map` that end too early: in the body, and in the parameters.

use tensorwrapper::prelude::*;

fn main() {
    let a = Tensor::<f64, Shape![3]>::zeros((Const,)).unwrap();
    let _ = tensor!([i] = map(|x| x + ; a[i]));
    let _ = tensor!([i] = map(|x; a[i]));
}
