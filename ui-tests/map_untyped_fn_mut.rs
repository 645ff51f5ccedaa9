//! The same with a parameter of no type.

use tensorwrapper::prelude::*;

fn main() -> Result<(), Error> {
    let A: Tensor<f64, Shape![4, 4]> = Tensor::zeros((Const, Const))?;
    let mut n = 0;
    let _ = tensor!([i, j] = map(|x| { n += 1; x }; A[i, j]));
    Ok(())
}
