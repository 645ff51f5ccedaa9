//! A function of `map` that changes what it remembers.

use tensorwrapper::prelude::*;

fn main() -> Result<(), Error> {
    let A: Tensor<f64, Shape![4, 4]> = Tensor::zeros((Const, Const))?;
    let mut calls = 0;
    let counted = |x: f64| {
        calls += 1;
        x
    };
    let _ = tensor!([i, j] = map(counted; A[i, j]));
    Ok(())
}
