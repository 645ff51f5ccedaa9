//! A range, a context and an operand of `einsum!` that end too early.

use tensorwrapper::prelude::*;

fn main() {
    let (a, n) = (Tensor::<f64, Shape![3]>::zeros((Const,)).unwrap(), 2);
    let _ = tensor!([i] = a[i in 0..n +]);
    let _: Tensor<f64, Shape![3]> = tensor!(in &; let b[i] = a[i]; b);
    let _: f64 = einsum!("i->", a +);
}
