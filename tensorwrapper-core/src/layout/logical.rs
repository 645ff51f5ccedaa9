//! The element type and the extents of an array, apart from how it is stored.
//!
//! Knows nothing of orders, strides and tiles.

use std::fmt;

use super::{check_order, element_count, refuse, staying};
use crate::element::Dtype;
use crate::error::{Error, ErrorKind, Place};
use crate::shape::{PerAxis, Shape, axis_of};

/// The letters of the axes of arrays of rank 1 to 4.
const NAMES: [&str; 4] = ["p", "z", "y", "x"];

/// An array as it is indexed: an element type and a shape. How it is stored is described by another type, [`Physical`](super::Physical),
/// so that the two are never confused.
///
/// The text is XLA's, `f32[2,3]`: the element type (`f32`, `f64`, `c64` for `Complex<f32>` or `c128` for `Complex<f64>`), then the
/// extents. In `f32[<=456,3]` the first extent is a bound. `Display` and `FromStr` are inverse.
///
/// ```
/// # use tensorwrapper_core as tensorwrapper;
/// use tensorwrapper::{Dtype, Error, Logical};
/// let array = Logical::new(Dtype::F64, [2, 1, 3])?;
/// assert_eq!(array.to_string(), "f64[2,1,3]");
/// assert_eq!("f64[2,1,3]".parse::<Logical>()?, array);
/// assert_eq!((array.element_count(), array.true_rank()), (6, 2));
/// assert_eq!((array.extent(-1)?, array.axis_named("z")?), (3, 0));
/// assert_eq!(array.permute(&[2, 0, 1])?.extents(), [3, 2, 1]);
/// assert_eq!(array.drop_degenerate().extents(), [2, 3]);
///
/// let fault = "f64[2,3".parse::<Logical>().unwrap_err();
/// assert_eq!(fault.to_string(), "expected `,` or `]`, found the end of the text (at byte 7)");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Logical {
    dtype: Dtype,
    shape: Shape,
    dynamic: PerAxis<bool>,
}

impl Logical {
    /// An array of these extents; without extents, a scalar.
    ///
    /// # Errors
    /// When there are more bytes than memory can address.
    pub fn new(dtype: Dtype, extents: impl Into<Vec<usize>>) -> Result<Logical, Error> {
        let extents = extents.into();
        byte_count(&extents, dtype)?;
        let dynamic = PerAxis::from_elem(false, extents.len());
        Ok(Logical { dtype, shape: Shape::new(extents), dynamic })
    }

    /// The same array with another element type.
    ///
    /// # Errors
    /// When there are more bytes than memory can address.
    pub fn with_dtype(mut self, dtype: Dtype) -> Result<Logical, Error> {
        byte_count(self.extents(), dtype)?;
        self.dtype = dtype;
        Ok(self)
    }

    /// The same array with an axis whose extent is a bound, written `<=`. Memory is laid out for the bound.
    ///
    /// # Errors
    /// When there is no such axis.
    pub fn with_dynamic(mut self, axis: isize) -> Result<Logical, Error> {
        let axis = self.axis(axis)?;
        self.dynamic[axis] = true;
        Ok(self)
    }

    /// The element type.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Number of indices along each axis.
    pub fn extents(&self) -> &[usize] {
        self.shape.extents()
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.shape.rank()
    }

    /// For each axis, whether its extent is a bound.
    pub fn dynamic(&self) -> &[bool] {
        &self.dynamic
    }

    /// Number of elements, 1 for a scalar: XLA's `ElementsIn`.
    pub fn element_count(&self) -> usize {
        self.extents().iter().product()
    }

    /// Number of axes whose extent is not 1: XLA's `TrueRank`.
    pub fn true_rank(&self) -> usize {
        self.extents().iter().filter(|&&extent| extent != 1).count()
    }

    /// An axis by number; negative ones count from the last, which is -1. XLA's `GetDimensionNumber`.
    ///
    /// # Errors
    /// When there is no such axis.
    pub fn axis(&self, number: isize) -> Result<usize, Error> {
        match axis_of(number, self.rank()) {
            Some(axis) => Ok(axis),
            None => refuse(format!("`{self}` of rank {} has no axis {number}", self.rank())),
        }
    }

    /// An axis by its letter: `x` for rank 1, `y,x` for rank 2, `z,y,x` for rank 3, `p,z,y,x` for rank 4.
    ///
    /// # Errors
    /// When no axis has that name.
    pub fn axis_named(&self, name: &str) -> Result<usize, Error> {
        match self.axis_names().iter().position(|&axis| axis == name) {
            Some(axis) => Ok(axis),
            None => refuse(match self.axis_names() {
                [] => format!("no axis of `{self}` is called `{name}`: arrays of rank 1 to 4 have names of axes"),
                names => format!("no axis of `{self}` is called `{name}`: they are {}", names.join(",")),
            }),
        }
    }

    /// The letters of the axes; none beyond rank 4.
    pub fn axis_names(&self) -> &'static [&'static str] {
        if self.rank() > NAMES.len() { &[] } else { &NAMES[NAMES.len() - self.rank()..] }
    }

    /// The extent of an axis; negative numbers count from the last, which is -1: XLA's `GetDimension`.
    ///
    /// # Errors
    /// When there is no such axis.
    pub fn extent(&self, axis: isize) -> Result<usize, Error> {
        self.axis(axis).map(|axis| self.extents()[axis])
    }

    /// Whether element types and extents are the same, no matter whether an extent is exact or a bound: XLA's `Compatible`. `==` also
    /// compares whether extents are bounds.
    pub fn is_compatible(&self, other: &Logical) -> bool {
        self.dtype == other.dtype && self.same_extents(other)
    }

    /// Whether the extents are the same, no matter what the element types are: XLA's `CompatibleIgnoringElementType`.
    pub fn same_extents(&self, other: &Logical) -> bool {
        self.extents() == other.extents()
    }

    /// The array with its axes in another order, axis `n` being axis `axes[n]` of this one: XLA's `PermuteDimensions`.
    ///
    /// # Errors
    /// When `axes` does not name each axis once.
    pub fn permute(&self, axes: &[usize]) -> Result<Logical, Error> {
        check_order(axes, self.rank()).or_else(|(_, message)| refuse(message))?;
        Ok(self.picked(axes))
    }

    /// The array without some axes: XLA's `DeleteDimensions`.
    ///
    /// # Errors
    /// When an axis does not exist or is named twice.
    pub fn delete(&self, axes: &[usize]) -> Result<Logical, Error> {
        // Without an axis of extent 0 there may be elements, and more than memory has.
        let result = self.picked(&staying(self.rank(), axes)?);
        byte_count(result.extents(), self.dtype)?;
        Ok(result)
    }

    /// The array of the axes for which the function returns `true`: XLA's `FilterDimensions`.
    ///
    /// # Errors
    /// When an axis of extent 0 is dropped and the remaining array is larger than memory can address.
    pub fn filter(&self, keep: impl FnMut(usize) -> bool) -> Result<Logical, Error> {
        self.delete(&going(self.rank(), keep))
    }

    /// The array without its axes of extent 1: XLA's `DropDegenerateDimensions`.
    pub fn drop_degenerate(&self) -> Logical {
        self.picked(&self.not_degenerate())
    }

    /// The axes whose extent is not 1.
    pub(super) fn not_degenerate(&self) -> Vec<usize> {
        (0..self.rank()).filter(|&axis| self.extents()[axis] != 1).collect()
    }

    pub(super) fn picked(&self, axes: &[usize]) -> Logical {
        Logical {
            dtype: self.dtype,
            shape: Shape::new(axes.iter().map(|&axis| self.extents()[axis]).collect::<Vec<_>>()),
            dynamic: axes.iter().map(|&axis| self.dynamic[axis]).collect(),
        }
    }

    /// Checks that the array has this index.
    pub(super) fn check_index(&self, index: &[usize]) -> Result<(), Error> {
        self.check_rank(index.len())?;
        match index.iter().zip(self.extents()).position(|(i, extent)| i >= extent) {
            None => Ok(()),
            Some(axis) => {
                let place = Place { operand: self.to_string(), axis, extent: self.extents()[axis] };
                Err(Error::new(ErrorKind::Bounds { index: index[axis].to_string(), place }))
            }
        }
    }

    pub(super) fn check_rank(&self, given: usize) -> Result<(), Error> {
        if given == self.rank() {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Rank { operand: self.to_string(), rank: self.rank(), given }))
    }
}

impl fmt::Debug for Logical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Logical({self})")
    }
}

/// The axes that a filter does not keep.
pub(super) fn going(rank: usize, mut keep: impl FnMut(usize) -> bool) -> Vec<usize> {
    (0..rank).filter(|&axis| !keep(axis)).collect()
}

/// The size in bytes of an array of these extents.
///
/// # Errors
/// When memory cannot address them. An extent of 0 counts as 1 for this check.
pub(super) fn byte_count(extents: &[usize], dtype: Dtype) -> Result<usize, Error> {
    match element_count(extents)?.checked_mul(dtype.size()) {
        Some(bytes) if bytes <= isize::MAX as usize => Ok(bytes),
        _ => refuse(format!("an array of extents {extents:?} of `{dtype}` has more bytes than memory can address")),
    }
}
