//! A Rust expression in braces that lacks an operand.

use tensorwrapper::prelude::*;

fn main() {
    let a = Tensor::<f64, Shape![3, 4]>::zeros((Const, Const)).unwrap();
    let n = 3;
    let _ = tensor!([i, j] = { n as f64 * } * a[i, j]);
    let _ = tensor!([i] = a[i, { n - }] + sum(j; powf(a[i, j], 2.0 *)));
}
