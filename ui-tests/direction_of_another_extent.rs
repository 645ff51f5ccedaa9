//! A direction whose extent differs from that of its variable.

use tensorwrapper::prelude::*;

fn main() -> Result<(), tensorwrapper::Error> {
    let a = Tensor::<f64, Shape![2, 3]>::filled((Const, Const), 1.0)?;
    let direction = Tensor::<f64, Shape![2, 4]>::filled((Const, Const), 1.0)?;
    let graph = Graph::new();
    let y = tensor! { in &graph; let y[i] = a[i, j] * a[i, j]; y };
    let _change = y.jvp((&a, &direction))?;
    Ok(())
}
