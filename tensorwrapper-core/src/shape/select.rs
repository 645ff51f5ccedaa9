//! Parts of a [`Shape`]: slices, which keep every axis, and chips, which drop axes of a single index.
//!
//! Indices given here are those of the shape, which begin at its origin.

use super::axes::PerAxis;
use super::value::Shape;
use crate::error::{Error, ErrorKind};

#[cfg(test)]
mod tests;

/// Parts of a shape, with the names of the C++ design that this follows:
///
/// | here | there |
/// |---|---|
/// | `s.slice([0, 0], [10, 1])` | `s.slice({0, 0}, {10, 1})` |
/// | `s.slice_at([0])` | `s.slice(0)` |
/// | `s.chip([0, 2], [10, 3])` | `s.chip({0, 2}, {10, 3})` |
/// | `s.chip_at([2])` | `s.chip(2)` |
impl Shape {
    /// The part from `begin` up to, but not including, `end`. It has the same rank, and its origin is `begin`.
    ///
    /// # Errors
    /// [`ErrorKind::Rank`] when `begin` or `end` has another number of axes, [`ErrorKind::Bounds`] when a range leaves its axis,
    /// [`ErrorKind::Shape`] when a range ends before it begins.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, Shape};
    /// let s = Shape::new([10, 20]);
    /// assert_eq!(s.slice([0, 0], [10, 1])?, Shape::new([10, 1]));
    /// assert_eq!(s.slice([2, 5], [4, 9])?, Shape::new([2, 4]).with_origin([2, 5])?);
    ///
    /// let error = s.slice([0, 0], [10, 21]).unwrap_err();
    /// assert_eq!(error.to_string(), "range 0..21 is out of range for axis 1 of `Shape[10, 20]`, which has extent 20");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn slice(&self, begin: impl AsRef<[usize]>, end: impl AsRef<[usize]>) -> Result<Shape, Error> {
        let (begin, end) = (begin.as_ref(), end.as_ref());
        self.check_rank(begin)?;
        self.check_rank(end)?;
        let mut extents = PerAxis::new();
        for (axis, (&begin, &end)) in begin.iter().zip(end).enumerate() {
            self.check_range(axis, begin, end)?;
            extents.push(end - begin);
        }
        Ok(self.with(extents, PerAxis::from_slice(begin)))
    }

    /// The part at these indices of the leading axes, with the other axes whole. It has the same rank; the leading axes have extent 1.
    ///
    /// # Errors
    /// [`ErrorKind::Rank`] when there are more indices than axes, [`ErrorKind::Bounds`] when an index is not on its axis.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, Shape};
    /// assert_eq!(Shape::new([10, 20]).slice_at([0])?, Shape::new([1, 20]));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn slice_at(&self, leading: impl AsRef<[usize]>) -> Result<Shape, Error> {
        let leading = leading.as_ref();
        self.check_leading(leading)?;
        let mut extents = PerAxis::from_elem(1, leading.len());
        extents.extend_from_slice(&self.extents()[leading.len()..]);
        let mut origin = PerAxis::from_slice(leading);
        origin.extend_from_slice(&self.origin()[leading.len()..]);
        Ok(self.with(extents, origin))
    }

    /// The part from `begin` up to, but not including, `end`. Axes on which this is a single index (`end` is `begin + 1`) are dropped, no
    /// matter how long the axis of the shape is.
    ///
    /// # Errors
    /// As [`slice`](Shape::slice).
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, Shape};
    /// let s = Shape::new([10, 20]);
    /// assert_eq!(s.chip([0, 2], [10, 3])?, Shape::new([10]));
    /// assert_eq!(s.chip([4, 2], [5, 3])?, Shape::new([]));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn chip(&self, begin: impl AsRef<[usize]>, end: impl AsRef<[usize]>) -> Result<Shape, Error> {
        let slice = self.slice(begin, end)?;
        let kept = || (0..slice.rank()).filter(|&axis| slice.extents()[axis] != 1);
        Ok(self.with(kept().map(|axis| slice.extents()[axis]).collect(), kept().map(|axis| slice.origin()[axis]).collect()))
    }

    /// The part at these indices of the leading axes, without those axes. The other axes are whole, and stay even if their extent is 1.
    ///
    /// # Errors
    /// As [`slice_at`](Shape::slice_at).
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, Shape};
    /// assert_eq!(Shape::new([10, 20]).chip_at([2])?, Shape::new([20]));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn chip_at(&self, leading: impl AsRef<[usize]>) -> Result<Shape, Error> {
        let leading = leading.as_ref();
        self.check_leading(leading)?;
        let rest = leading.len()..;
        Ok(self.with(PerAxis::from_slice(&self.extents()[rest.clone()]), PerAxis::from_slice(&self.origin()[rest])))
    }

    /// Number of indices that the first axes have alone.
    pub(super) fn size_of_leading(&self, axes: usize) -> Result<usize, Error> {
        self.leading(axes).size()
    }

    /// The first axes alone.
    fn leading(&self, axes: usize) -> Shape {
        self.with(PerAxis::from_slice(&self.extents()[..axes]), PerAxis::from_slice(&self.origin()[..axes]))
    }

    /// Whether these are indices of the first axes.
    fn check_leading(&self, leading: &[usize]) -> Result<(), Error> {
        if leading.len() > self.rank() {
            let (operand, rank, given) = (format!("{self:?}"), self.rank(), leading.len());
            return Err(Error::new(ErrorKind::Rank { operand, rank, given }));
        }
        leading.iter().enumerate().try_for_each(|(axis, &index)| self.check_index(axis, index))
    }
}
