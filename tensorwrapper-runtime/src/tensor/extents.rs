//! Checks the extents that are given for a new tensor against its shape type and its number of elements.

use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::{Extents, IntoShape};
use tensorwrapper_notation::sentence::{are, counted};

/// The extents of a new tensor of shape type `S`, checked.
pub(super) fn checked_extents<S: Extents>(shape: impl IntoShape<S>) -> Result<Vec<usize>, Error> {
    let extents = shape.into_extents()?;
    S::check(&extents)?;
    Ok(extents)
}

/// The row-major layout of a new tensor.
pub(crate) fn row_major<S: Extents>(shape: impl IntoShape<S>) -> Result<Strided, Error> {
    Strided::row_major(&checked_extents(shape)?)
}

/// The row-major layout of a new tensor for which this many elements are given.
pub(super) fn row_major_of<S: Extents>(shape: impl IntoShape<S>, given: usize) -> Result<Strided, Error> {
    let layout = row_major(shape)?;
    let (extents, needed) = (layout.extents(), layout.len());
    if needed == given {
        return Ok(layout);
    }
    let message = format!("extents {extents:?} need {}, but {given} {} given", counted(needed, "element"), are(given));
    Err(Error::new(ErrorKind::Shape(message)))
}
