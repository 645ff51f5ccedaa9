//! The gradient of a tensor that is no number.

use tensorwrapper::prelude::*;

fn gradient(a: &Tensor<f64, Shape![2, 3]>, x: &Tensor<f64, Shape![3]>) -> Result<(), Error> {
    let graph = Graph::new();
    let y = tensor! { in &graph; let y[i] = a[i, j] * x[j]; y };
    let _ = y.grad(x)?;
    Ok(())
}

fn main() {}
