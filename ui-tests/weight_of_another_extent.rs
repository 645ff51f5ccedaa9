//! A weight whose extent differs from that of the value.

use tensorwrapper::prelude::*;

fn main() -> Result<(), tensorwrapper::Error> {
    let a = Tensor::<f64, Shape![2, 3]>::filled((Const, Const), 1.0)?;
    let weight = Tensor::<f64, Shape![3]>::filled((Const,), 1.0)?;
    let graph = Graph::new();
    let y = tensor! { in &graph; let y[i] = a[i, j] * a[i, j]; y };
    let _weighted = y.vjp(&weight, &a)?;
    Ok(())
}
