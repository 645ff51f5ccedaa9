//! A function of `map`, written where it is called, that changes what it remembers.

use tensorwrapper::prelude::*;

fn main() -> Result<(), Error> {
    let A: Tensor<f64, Shape![4, 4]> = Tensor::zeros((Const, Const))?;
    let mut total = 0.0;
    let _ = tensor!([i, j] = map(|x: f64| { total += x; x }; A[i, j]));
    Ok(())
}
