//! Extents as types and as values: what the compiler knows of a tensor's shape, and what only the run knows.
//!
//! Knows nothing of memory or elements.

mod check;
mod extent;
mod extents;
mod into;

#[cfg(test)]
mod tests;

pub use check::{
    AgreesWith, AxisByType, AxisByValue, AxisPair, CheckAtRunTime, FitsRank, Mark, RankCheckByValue, check_agreement, check_rank,
    mark_axis, meet, witness,
};
#[cfg(test)]
pub(crate) use extent::Bad;
pub use extent::{Const, Dyn, Extent, Len};
#[cfg(test)]
pub(crate) use extents::Axis;
pub use extents::{Extents, Shape};
pub use into::{IntoExtent, IntoShape};
