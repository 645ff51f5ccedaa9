//! Extents as types and as values: what the compiler knows of a tensor's shape, and what only the run knows.
//!
//! Knows nothing of memory or elements.

mod check;
mod extent;
mod extents;
mod fixed;
mod fused;
mod index;
mod indices;
mod inline;
mod into;
mod mask;
mod range;
mod select;
mod value;

use crate::error::{Error, ErrorKind};

/// The axis that a number means, where negative ones count from the last, which is -1.
pub fn axis_of(number: isize, rank: usize) -> Option<usize> {
    let axis = if number < 0 { rank.checked_add_signed(number) } else { Some(number.unsigned_abs()) };
    axis.filter(|&axis| axis < rank)
}

/// Somebody walks an axis in steps of 0.
pub fn no_step(axis: usize) -> Error {
    Error::new(ErrorKind::Shape(format!("a step of 0 along axis {axis} goes nowhere")))
}

/// One number for each axis; up to rank 8 it needs no memory of its own.
pub type PerAxis<N> = smallvec::SmallVec<[N; 8]>;

#[cfg(test)]
mod tests;

pub use crate::nested;
pub use check::{
    AxesByType, AxesByValue, AxisPair, CompareAtRunTime, Compared, LaterPair, LocateAtRunTime, Located, Mark, Position,
    check_rank, mark_axes, meet,
};
pub use extent::{Const, Dyn, Extent, Len};
pub use extents::{Axis, Extents};
pub use fixed::FixedIndices;
pub use fused::{
    DivideAtRunTime, Divided, Division, Minimum, MinimumAtRunTime, Product, ProductAtRunTime, Quotient, QuotientAtRunTime,
    Shorter,
};
pub use index::MultiIndex;
pub use indices::Indices;
pub use inline::{ConstExtent, NestedArray, StaticExtents};
pub use into::{IntoExtent, IntoShape};
pub use mask::Mask;
pub use value::Shape;
