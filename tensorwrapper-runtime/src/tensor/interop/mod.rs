//! Views from and to the arrays of other libraries, without a copy: the code that all of them share.
//!
//! Our views borrow a slice from their lowest to their highest element. Another library's view is therefore accepted only if
//! all of that memory may be borrowed: if there are no gaps between its elements, or if the gaps belong to memory that is
//! borrowed as a whole. This file knows no library; each library has its own file, compiled with the feature of its name.

use std::ops::Range;
use std::slice;

use super::located::Located;
use super::view::TensorRef;
use super::view_mut::TensorMut;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::{Extents, PerAxis};
use tensorwrapper_notation::sentence::counted;

#[cfg(feature = "faer")]
mod faer;
#[cfg(feature = "nalgebra")]
mod nalgebra;
#[cfg(feature = "ndarray")]
mod ndarray;

#[cfg(test)]
mod common_tests;
#[cfg(all(test, feature = "faer"))]
mod faer_tests;
#[cfg(all(test, feature = "nalgebra"))]
mod nalgebra_tests;
#[cfg(all(test, feature = "ndarray"))]
mod ndarray_tests;

/// Another library's layout, relative to the element of index 0 along all axes.
struct Foreign<'v> {
    /// What it is, as the beginning of a sentence: `a view of \`ndarray\``.
    name: &'static str,
    extents: &'v [usize],
    strides: &'v [isize],
    gaps: Gaps,
}

/// The memory between the elements that are borrowed.
enum Gaps {
    /// Elements that other code may write, or uninitialised memory. The text is the help of the error.
    Refused(&'static str),
    /// Initialised elements of an allocation that is borrowed as a whole.
    #[cfg_attr(not(any(feature = "ndarray", feature = "faer")), expect(dead_code, reason = "other libraries have none"))]
    Borrowed,
}

impl Foreign<'_> {
    /// The layout in the slice that begins at the lowest element.
    fn layout(&self) -> Result<Strided, Error> {
        let empty = self.extents.contains(&0);
        let below: i128 = match empty {
            true => 0,
            false => self.extents.iter().zip(self.strides).map(|(&e, &s)| (e as i128 - 1) * -(s.min(0) as i128)).sum(),
        };
        let below = usize::try_from(below).map_err(|_| self.error("reaches further than memory"))?;
        // The slice is made as long as the layout needs it.
        let layout = Strided::within(self.extents, self.strides, below, usize::MAX)?;
        match (&self.gaps, gap(&layout)) {
            (Gaps::Refused(help), Some((axis, reach))) => Err(self
                .error(&format!(
                    "has gaps, which may be somebody else's to write: axis {axis} steps by {} over {}",
                    self.strides[axis].unsigned_abs(),
                    counted(reach, "element"),
                ))
                .with_help(*help)),
            _ => Ok(layout),
        }
    }

    fn error(&self, fault: &str) -> Error {
        let Foreign { name, extents, strides, .. } = self;
        Error::new(ErrorKind::Shape(format!("{name}, of extents {extents:?} and strides {strides:?}, {fault}")))
    }
}

/// The first axis, from the smallest stride on, that steps over more elements than the axes before it reach, and how many
/// they reach. Where there is none, the view meets every element between its lowest and its highest.
fn gap(layout: &Strided) -> Option<(usize, usize)> {
    if layout.is_empty() {
        return None;
    }
    let step = |axis: usize| layout.strides()[axis].unsigned_abs();
    let mut axes: Vec<usize> = (0..layout.rank()).filter(|&axis| layout.extents()[axis] > 1).collect();
    axes.sort_by_key(|&axis| step(axis));
    let mut reach = 1;
    axes.into_iter().find_map(|axis| {
        if step(axis) > reach {
            return Some((axis, reach));
        }
        // All of it lies in memory, so that nothing overflows.
        reach += (layout.extents()[axis] - 1) * step(axis);
        None
    })
}

/// Borrows another library's elements for reading.
///
/// # Safety
/// For `'a`, the memory from the lowest to the highest element that is told, seen from `first`, must be of one allocation
/// that `first` may read, initialised, and written by nobody; where gaps are refused, the elements alone must be.
unsafe fn read<'a, T: Element, S: Extents>(first: *const T, foreign: &Foreign<'_>) -> Result<TensorRef<'a, T, S>, Error> {
    let layout = foreign.layout()?;
    let elements = match layout.reach() {
        None | Some(0) => &[][..],
        // SAFETY: the lowest element lies `offset` before the first one, the highest is the last of `reach`, and between them
        // is what the caller promises: the elements themselves, or gaps that are borrowed with them.
        Some(reach) => unsafe { slice::from_raw_parts(first.sub(layout.offset()), reach) },
    };
    Ok(TensorRef::from_located(Located::on_host(elements, layout)))
}

/// Borrows another library's elements for writing.
///
/// # Safety
/// As [`read`], and nobody else may read or write that memory for `'a`.
unsafe fn write<'a, T: Element, S: Extents>(first: *mut T, foreign: &Foreign<'_>) -> Result<TensorMut<'a, T, S>, Error> {
    let layout = foreign.layout()?;
    if !layout.is_injective() {
        return Err(foreign.error("leads two indices to one element, which cannot be written"));
    }
    let elements = match layout.reach() {
        None | Some(0) => &mut [][..],
        // SAFETY: as in `read`, and the caller promises that the memory is nobody else's.
        Some(reach) => unsafe { slice::from_raw_parts_mut(first.sub(layout.offset()), reach) },
    };
    Ok(TensorMut::from_located(Located::on_host(elements, layout)))
}

/// The description of one of our views for another library.
struct Told {
    /// The elements from the lowest to the highest, of the view's slice.
    range: Range<usize>,
    extents: PerAxis<usize>,
    /// Strides that are never followed, of axes with fewer than two indices, are 1.
    strides: PerAxis<isize>,
}

impl Told {
    fn of(layout: &Strided) -> Told {
        let empty = layout.is_empty();
        let followed = |(&extent, &stride): (&usize, &isize)| if empty || extent < 2 { 1 } else { stride };
        let strides = layout.extents().iter().zip(layout.strides()).map(followed).collect();
        let range = match layout.span() {
            // The slice holds the span.
            Some(span) => span.start as usize..span.end as usize,
            None => 0..0,
        };
        Told { range, extents: PerAxis::from_slice(layout.extents()), strides }
    }
}

/// Refuses a tensor of another rank than that of what it shall become.
fn check_rank(extents: &[usize], rank: usize, target: &str) -> Result<(), Error> {
    match extents.len() {
        found if found == rank => Ok(()),
        found => Err(Error::new(ErrorKind::Shape(format!(
            "a tensor of rank {found} and extents {extents:?} does not become a `{target}`, which has rank {rank}"
        )))),
    }
}
