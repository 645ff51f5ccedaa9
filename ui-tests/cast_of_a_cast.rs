//! A cast of a cast: nothing tells what the inner one converts to, nor what the outer one does.

use tensorwrapper::prelude::*;

fn main() -> Result<(), Error> {
    let a = Tensor::<f32>::zeros([3])?;
    let _ = tensor!([i] = cast(cast(a[i])));
    Ok(())
}
