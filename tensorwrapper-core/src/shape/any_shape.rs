//! [`AnyShape`]: what smooth, tiled, jagged and nested shapes have in common.
//!
//! Knows nothing of layers.

use std::fmt;
use std::hash::Hash;

use tensorwrapper_notation::sentence::counted;

use super::index::MultiIndex;
use super::jagged::JaggedShape;
use super::tiled::TiledShape;
use super::value::Shape;
use crate::error::{Error, ErrorKind};

pub(super) mod sealed {
    pub trait Sealed {}
}

/// A set of indices: a [`Shape`], a [`TiledShape`], a [`JaggedShape`], or one of them with layers, [`Nested`](super::Nested). Sealed.
///
/// The methods are those that the types have themselves; the trait is for functions that take any of them.
///
/// ```
/// # use tensorwrapper_core as tensorwrapper;
/// use tensorwrapper::{AnyShape, Error, JaggedShape, Shape};
/// fn last_of_row(shape: &impl AnyShape, row: usize) -> Result<Vec<usize>, Error> {
///     Ok(shape.slice_at([row])?.indices().last().map_or_else(Vec::new, |index| index.to_vec()))
/// }
/// let jagged = JaggedShape::rows([Shape::new([1]), Shape::new([3])])?;
/// assert_eq!(last_of_row(&jagged, 1)?, [1, 2]);
/// assert_eq!(last_of_row(&Shape::new([2, 5]), 1)?, [1, 4]);
/// # Ok::<(), Error>(())
/// ```
pub trait AnyShape: sealed::Sealed + Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static {
    /// Number of axes.
    fn rank(&self) -> usize;

    /// Number of indices.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the number exceeds `usize::MAX`.
    fn size(&self) -> Result<usize, Error> {
        self.size_of_leading(self.rank())
    }

    /// Number of indices that the first axes have alone, without those behind them.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the number exceeds `usize::MAX`, or when there are fewer axes.
    fn size_of_leading(&self, axes: usize) -> Result<usize, Error>;

    /// All indices in lexicographic order, from the origin on.
    fn indices(&self) -> impl Iterator<Item = MultiIndex> + '_;

    /// The indices as they would be if the shape began at zero.
    fn offsets(&self) -> impl Iterator<Item = MultiIndex> + '_;

    /// The part from `begin` up to, but not including, `end`. It has the same rank.
    ///
    /// # Errors
    /// As [`Shape::slice`] and [`JaggedShape::slice`].
    fn slice(&self, begin: impl AsRef<[usize]>, end: impl AsRef<[usize]>) -> Result<Self, Error>;

    /// The part at these indices of the leading axes. It has the same rank.
    ///
    /// # Errors
    /// As [`Shape::slice_at`] and [`JaggedShape::slice_at`].
    fn slice_at(&self, leading: impl AsRef<[usize]>) -> Result<Self, Error>;

    /// The part from `begin` up to, but not including, `end`, without the axes on which this is a single index.
    ///
    /// # Errors
    /// As [`Shape::chip`] and [`JaggedShape::chip`].
    fn chip(&self, begin: impl AsRef<[usize]>, end: impl AsRef<[usize]>) -> Result<Self, Error>;

    /// The part at these indices of the leading axes, without those axes.
    ///
    /// # Errors
    /// As [`Shape::chip_at`] and [`JaggedShape::chip_at`].
    fn chip_at(&self, leading: impl AsRef<[usize]>) -> Result<Self, Error>;
}

/// Whether a shape has so many axes.
fn check_axes(shape: &impl AnyShape, axes: usize) -> Result<(), Error> {
    if axes <= shape.rank() {
        return Ok(());
    }
    let message = format!("`{shape:?}` has rank {}, so it does not begin with {}", shape.rank(), counted(axes, "axis"));
    Err(Error::new(ErrorKind::Shape(message)))
}

macro_rules! any_shape {
    ($($Type:ident)*) => { $(
        impl sealed::Sealed for $Type {}
        impl AnyShape for $Type {
            fn rank(&self) -> usize {
                $Type::rank(self)
            }
            fn size_of_leading(&self, axes: usize) -> Result<usize, Error> {
                check_axes(self, axes)?;
                $Type::size_of_leading(self, axes)
            }
            fn indices(&self) -> impl Iterator<Item = MultiIndex> + '_ {
                $Type::indices(self)
            }
            fn offsets(&self) -> impl Iterator<Item = MultiIndex> + '_ {
                $Type::offsets(self)
            }
            fn slice(&self, begin: impl AsRef<[usize]>, end: impl AsRef<[usize]>) -> Result<Self, Error> {
                $Type::slice(self, begin, end)
            }
            fn slice_at(&self, leading: impl AsRef<[usize]>) -> Result<Self, Error> {
                $Type::slice_at(self, leading)
            }
            fn chip(&self, begin: impl AsRef<[usize]>, end: impl AsRef<[usize]>) -> Result<Self, Error> {
                $Type::chip(self, begin, end)
            }
            fn chip_at(&self, leading: impl AsRef<[usize]>) -> Result<Self, Error> {
                $Type::chip_at(self, leading)
            }
        }
    )* };
}
any_shape! { Shape TiledShape JaggedShape }
