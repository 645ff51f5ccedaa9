//! Extents as types and as values: what the compiler knows of a tensor's shape, and what only the run knows.
//!
//! Knows nothing of memory or elements.

mod check;
mod extent;
mod extents;
mod into;
mod range;

#[cfg(test)]
mod tests;

pub use check::{
    AxisByType, AxisByValue, AxisPair, CompareAtRunTime, Compared, LaterPair, LocateAtRunTime, Located, Mark, Position,
    check_rank, mark_axis, meet,
};
#[cfg(test)]
pub(crate) use extent::Bad;
pub use extent::{Const, Dyn, Extent, Len};
#[cfg(test)]
pub(crate) use extents::Axis;
pub use extents::{Extents, Shape};
pub use into::{IntoExtent, IntoShape};
