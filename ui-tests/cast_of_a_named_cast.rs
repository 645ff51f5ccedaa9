//! The inner cast names a type, and the outer one none.

use tensorwrapper::prelude::*;

fn main() -> Result<(), Error> {
    let a = Tensor::<f32>::zeros([3])?;
    let _ = tensor!([i] = cast(cast(f64; a[i])));
    Ok(())
}
