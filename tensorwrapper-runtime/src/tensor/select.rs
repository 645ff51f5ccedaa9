//! Parts and rearrangements of a layout. Errors are stated in the terms of the user's request.

use std::ops::{Bound, RangeBounds};

use tensorwrapper_core::error::{Error, ErrorKind, Place};
use tensorwrapper_core::layout::{Strided, element_count};
use tensorwrapper_core::shape::no_step;
use tensorwrapper_notation::sentence::counted;

/// What messages call a tensor that the library has no name for.
const NAME: &str = "tensor";

/// Keeps the indices of a range along an axis.
pub(super) fn slice(layout: &Strided, axis: usize, range: impl RangeBounds<usize>) -> Result<Strided, Error> {
    let extent = extent(layout, axis)?;
    let start = match range.start_bound() {
        Bound::Included(&start) => Some(start),
        Bound::Excluded(&before) => before.checked_add(1),
        Bound::Unbounded => Some(0),
    };
    let end = match range.end_bound() {
        Bound::Included(&last) => last.checked_add(1),
        Bound::Excluded(&end) => Some(end),
        Bound::Unbounded => Some(extent),
    };
    let text = || as_written(&range);
    match (start, end) {
        (Some(start), Some(end)) if start <= end && end <= extent => Ok(layout.clone().slice(axis, start, end - start)),
        (Some(start), Some(end)) if end < start && range.end_bound() != Bound::Unbounded => {
            Err(Error::reversed(&text(), NAME, axis))
        }
        _ => Err(out_of_range(text(), axis, extent)),
    }
}

/// Fixes the index along an axis, which disappears.
pub(super) fn chip(layout: &Strided, axis: usize, index: usize) -> Result<Strided, Error> {
    let extent = extent(layout, axis)?;
    if index < extent { Ok(layout.chip(axis, index)) } else { Err(out_of_range(index.to_string(), axis, extent)) }
}

/// Axis `n` of the result is axis `axes[n]`.
pub(super) fn permute(layout: &Strided, axes: &[usize]) -> Result<Strided, Error> {
    if layout.is_permuted_by(axes) {
        return Ok(layout.permute(axes));
    }
    let message = match layout.rank() {
        0 => format!("{axes:?} does not name each axis once: a tensor of rank 0 has none"),
        1 => format!("{axes:?} does not name each axis once: a tensor of rank 1 has axis 0 only"),
        rank => format!("{axes:?} does not name each axis once: a tensor of rank {rank} has axes 0 to {}", rank - 1),
    };
    Err(Error::new(ErrorKind::Shape(message)))
}

/// Walks two axes at once; they become one, in the place of the first.
pub(super) fn diagonal(layout: &Strided, a: usize, b: usize) -> Result<Strided, Error> {
    let (along_a, along_b) = (extent(layout, a)?, extent(layout, b)?);
    let refuse = |message| Err(Error::new(ErrorKind::Shape(message)));
    if a == b {
        return refuse(format!("a diagonal runs along two axes, but both are axis {a}"));
    }
    if along_a != along_b {
        return refuse(format!(
            "a diagonal needs two axes of one extent, but axis {a} has extent {along_a} and axis {b} has extent {along_b}"
        ));
    }
    Ok(layout.clone().diagonal(a, b))
}

/// Walks an axis from its other end.
pub(super) fn reverse(layout: &Strided, axis: usize) -> Result<Strided, Error> {
    extent(layout, axis)?;
    Ok(layout.clone().reverse(axis))
}

/// Keeps every `step`-th index of an axis.
pub(super) fn step(layout: &Strided, axis: usize, step: usize) -> Result<Strided, Error> {
    extent(layout, axis)?;
    match step {
        0 => Err(no_step(axis)),
        _ => Ok(layout.clone().step(axis, step)),
    }
}

/// A new axis along which nothing changes.
pub(super) fn repeat(layout: &Strided, axis: usize, extent: usize) -> Result<Strided, Error> {
    let rank = layout.rank();
    if axis > rank {
        let message = format!("a new axis of a tensor of rank {rank} is one of 0 to {rank}, not {axis}");
        return Err(Error::new(ErrorKind::Shape(message)));
    }
    let repeated = layout.clone().repeat(axis, extent);
    element_count(repeated.extents())?;
    Ok(repeated)
}

/// Other extents for the same elements in the same order, if strides can describe them.
pub(super) fn reshape(layout: &Strided, extents: &[usize]) -> Result<Strided, Error> {
    let (from, needed) = (layout.extents(), element_count(extents)?);
    if needed != layout.len() {
        let held = counted(layout.len(), "element");
        let message = format!("extents {from:?} hold {held}, but extents {extents:?} need {needed}");
        return Err(Error::new(ErrorKind::Shape(message)));
    }
    layout.reshape(extents).map_err(|axes| {
        let strides = &layout.strides()[axes.clone()];
        Error::new(ErrorKind::Shape(format!(
            "extents {from:?} do not become {extents:?} without a copy: axes {} to {} have strides {strides:?}, which are not \
             crossed as one axis",
            axes.start,
            axes.end - 1
        )))
    })
}

fn extent(layout: &Strided, axis: usize) -> Result<usize, Error> {
    let missing = || ErrorKind::Shape(format!("there is no axis {axis} in a tensor of rank {}", layout.rank()));
    layout.extents().get(axis).copied().ok_or_else(|| Error::new(missing()))
}

/// The fault of an index that an axis does not have.
pub(crate) fn out_of_range(index: String, axis: usize, extent: usize) -> Error {
    Error::new(ErrorKind::Bounds { index, place: Place { operand: NAME.into(), axis, extent } })
}

/// A range as Rust writes it.
fn as_written(range: &impl RangeBounds<usize>) -> String {
    let start = match range.start_bound() {
        Bound::Included(start) => start.to_string(),
        // Rust has no sign for this bound.
        Bound::Excluded(before) => format!("{before}<"),
        Bound::Unbounded => String::new(),
    };
    match range.end_bound() {
        Bound::Included(last) => format!("{start}..={last}"),
        Bound::Excluded(end) => format!("{start}..{end}"),
        Bound::Unbounded => format!("{start}.."),
    }
}
