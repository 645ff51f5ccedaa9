//! [`Shape`] as a value: rank, extents and origin of a box of indices, known at run time.
//!
//! Knows nothing of parts of a shape (`select.rs`), of walks through it (`indices.rs`), or of elements.

use std::fmt;

use super::axes::{PerAxis, axis_of};
use crate::error::{Error, ErrorKind, Place};

#[cfg(test)]
mod tests;

/// A shape: a hyper-rectangular box of indices. As a shape type it stands for all shapes whose rank is known at run time only, and it is
/// the default shape type of a tensor.
///
/// Each axis has an extent and an origin, which is its first index. A new shape begins at zero. A part of a shape
/// ([`slice`](Shape::slice), [`chip`](Shape::chip)) keeps the indices of the whole, so its origin is its first index in the whole. Up to
/// rank 8 a shape needs no allocation.
///
/// `==` compares extents and origin; [`same_extents`](Shape::same_extents) compares extents alone. `Default` is the scalar,
/// `Shape::new([])`, not [`Shape::null`].
///
/// ```
/// # use tensorwrapper_core as tensorwrapper;
/// use tensorwrapper::{Error, Shape};
/// let shape = Shape::new([2, 3]);
/// assert_eq!((shape.rank(), shape.size()?, shape.extent(-1)?), (2, 6, 3));
///
/// let part = shape.slice([0, 1], [1, 3])?;
/// assert_eq!((part.extents(), part.origin()), (&[1, 2][..], &[0, 1][..]));
/// let indices: Vec<_> = part.indices().collect();
/// assert_eq!(indices, [[0, 1], [0, 2]]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Shape {
    extents: PerAxis<usize>,
    origin: PerAxis<usize>,
    null: bool,
}

impl Shape {
    /// A shape of these extents, beginning at zero. Without extents it is the shape of a scalar, which has one index, `[]`.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, Shape};
    /// assert_eq!(Shape::new([]).size()?, 1);
    /// let known_at_run_time = vec![10, 20, 30];
    /// assert_eq!(Shape::new(&known_at_run_time).rank(), 3);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(extents: impl AsRef<[usize]>) -> Shape {
        extents.as_ref().iter().copied().collect()
    }

    /// The null shape: no axes and, unlike a scalar, no elements. No tensor has it.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, Shape};
    /// let null = Shape::null();
    /// assert_eq!((null.rank(), null.size()?, null.is_null()), (0, 0, true));
    /// assert_ne!(null, Shape::new([]));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn null() -> Shape {
        Shape { null: true, ..Shape::default() }
    }

    /// The same extents with another first index, `origin`.
    ///
    /// # Errors
    /// When `origin` has another number of axes, or an index would exceed `usize::MAX`.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, Shape};
    /// let shape = Shape::new([2, 3]).with_origin([10, 10])?;
    /// assert_eq!(format!("{shape:?}"), "Shape[2, 3]+[10, 10]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn with_origin(mut self, origin: impl AsRef<[usize]>) -> Result<Shape, Error> {
        let origin = origin.as_ref();
        self.check_rank(origin)?;
        for (axis, (&first, &extent)) in origin.iter().zip(&self.extents).enumerate() {
            if first.checked_add(extent).is_none() {
                return Err(Error::new(ErrorKind::Shape(format!(
                    "axis {axis} of extent {extent} cannot begin at {first}: its indices would exceed {}",
                    usize::MAX
                ))));
            }
        }
        self.origin = PerAxis::from_slice(origin);
        Ok(self)
    }

    /// Number of axes: 0 for a scalar and for [`null`](Shape::null).
    pub fn rank(&self) -> usize {
        self.extents.len()
    }

    /// Number of indices along each axis.
    pub fn extents(&self) -> &[usize] {
        &self.extents
    }

    /// Number of indices along one axis; negative numbers count from the last axis, which is -1.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when there is no such axis.
    pub fn extent(&self, axis: isize) -> Result<usize, Error> {
        axis_of(axis, self.rank()).map(|axis| self.extents[axis]).ok_or_else(|| {
            let message = format!("`{self:?}` is of rank {} and has no axis {axis}", self.rank());
            Error::new(ErrorKind::Shape(message)).with_help("axes count 0, 1, … from the first, or -1, -2, … from the last")
        })
    }

    /// The first index.
    pub fn origin(&self) -> &[usize] {
        &self.origin
    }

    /// Number of indices: the product of the extents, 1 for a scalar and 0 for [`null`](Shape::null).
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the number exceeds `usize::MAX`.
    pub fn size(&self) -> Result<usize, Error> {
        if self.is_empty() {
            return Ok(0);
        }
        self.extents.iter().try_fold(1usize, |n, &extent| n.checked_mul(extent)).ok_or_else(|| {
            let message = format!("`{self:?}` has more than {} indices", usize::MAX);
            Error::new(ErrorKind::Shape(message))
        })
    }

    /// Whether there is no index, because an extent is 0 or the shape is [`null`](Shape::null).
    pub fn is_empty(&self) -> bool {
        self.null || self.extents.contains(&0)
    }

    /// Whether this is [`Shape::null`].
    pub fn is_null(&self) -> bool {
        self.null
    }

    /// Whether both have the same rank and extents, no matter where they begin.
    pub fn same_extents(&self, other: &Shape) -> bool {
        self.null == other.null && self.extents == other.extents
    }

    /// A box in this one, whose bounds have been checked.
    pub(super) fn with(&self, extents: PerAxis<usize>, origin: PerAxis<usize>) -> Shape {
        Shape { extents, origin, null: self.null }
    }

    /// The same extents, beginning at zero.
    pub(super) fn at_zero(&self) -> Shape {
        self.with(self.extents.clone(), PerAxis::from_elem(0, self.rank()))
    }

    /// Whether so many numbers are given as there are axes.
    pub(super) fn check_rank(&self, given: &[usize]) -> Result<(), Error> {
        if given.len() == self.rank() {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Rank { operand: format!("{self:?}"), rank: self.rank(), given: given.len() }))
    }

    /// Whether `begin..end` lies in an axis and does not end before it begins.
    pub(super) fn check_range(&self, axis: usize, begin: usize, end: usize) -> Result<(), Error> {
        if begin > end {
            return Err(Error::reversed(&format!("{begin}..{end}"), &format!("{self:?}"), axis));
        }
        // No sum: of a new shape and of `with_origin` alike, origin plus extent is a `usize`.
        if begin < self.origin[axis] || end - self.origin[axis] > self.extents[axis] {
            return Err(self.beyond(axis, format!("{begin}..{end}")));
        }
        Ok(())
    }

    /// Whether an index lies in an axis.
    pub(super) fn check_index(&self, axis: usize, index: usize) -> Result<(), Error> {
        match index.checked_sub(self.origin[axis]) {
            Some(offset) if offset < self.extents[axis] => Ok(()),
            _ => Err(self.beyond(axis, index.to_string())),
        }
    }

    /// That an index, or a range, is not in an axis.
    pub(super) fn beyond(&self, axis: usize, index: String) -> Error {
        let (first, extent) = (self.origin[axis], self.extents[axis]);
        let error = Error::new(ErrorKind::Bounds { index, place: Place { operand: format!("{self:?}"), axis, extent } });
        if first == 0 { error } else { error.with_help(format!("its indices are {first}..{}", first + extent)) }
    }
}

/// Collects extents into a shape that begins at zero.
impl FromIterator<usize> for Shape {
    fn from_iter<I: IntoIterator<Item = usize>>(extents: I) -> Shape {
        let extents: PerAxis<usize> = extents.into_iter().collect();
        Shape { origin: PerAxis::from_elem(0, extents.len()), extents, null: false }
    }
}

impl<const R: usize> From<[usize; R]> for Shape {
    fn from(extents: [usize; R]) -> Shape {
        Shape::new(extents)
    }
}

impl From<&[usize]> for Shape {
    fn from(extents: &[usize]) -> Shape {
        Shape::new(extents)
    }
}

impl From<Vec<usize>> for Shape {
    fn from(extents: Vec<usize>) -> Shape {
        Shape::new(extents)
    }
}

/// Written as its extents, `[2, 3]`; with an origin, as the range of each axis. Such text can be read again.
///
/// ```
/// # use tensorwrapper_core::{Error, Shape};
/// assert_eq!(Shape::new([2, 3]).to_string(), "[2, 3]");
/// assert_eq!("[1..3, 0..3]".parse::<Shape>()?, Shape::new([2, 3]).with_origin([1, 0])?);
/// # Ok::<(), Error>(())
/// ```
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.null {
            return f.write_str("no tensor");
        }
        if self.origin.iter().all(|&first| first == 0) {
            return write!(f, "{:?}", &self.extents[..]);
        }
        let ranges = self.origin.iter().zip(&self.extents[..]).map(|(&first, &extent)| format!("{first}..{}", first + extent));
        write!(f, "[{}]", ranges.collect::<Vec<_>>().join(", "))
    }
}

/// Printed as `Shape[2, 3]`, as `Shape[2, 3]+[0, 1]` if the origin is not zero, and as `Shape::null()`.
impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.null {
            return f.write_str("Shape::null()");
        }
        write!(f, "Shape{:?}", &self.extents[..])?;
        if self.origin.iter().any(|&first| first != 0) {
            write!(f, "+{:?}", &self.origin[..])?;
        }
        Ok(())
    }
}
