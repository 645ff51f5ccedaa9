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
    AgreesWith, AxisByType, AxisByValue, AxisOf, AxisPair, CheckAtRunTime, CheckByType, Mark, RankCheck, RankCheckByValue,
};
pub use check::{Checked, FitsRank, HasRank, check_agreement, check_rank, mark_axis, meet, witness};
pub use extent::{Bad, Const, Dyn, Extent, Len};
pub use extents::{Axis, Extents, Shape, StaticRank};
pub use into::{IntoExtent, IntoShape};
