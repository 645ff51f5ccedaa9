//! Extents as types and as values: what the compiler knows of a tensor's shape, and what is known only at run time.
//!
//! Knows nothing of memory or elements.

mod any_shape;
mod at_least;
mod axes;
mod charges;
mod check;
mod extent;
mod extents;
mod fixed;
mod fused;
mod index;
mod indices;
mod inline;
mod into;
mod jagged;
mod joined;
mod mask;
mod nested_shape;
mod outcome;
mod range;
mod select;
mod steps;
mod text;
mod tiled;
mod tiling;
mod value;

#[cfg(test)]
mod tests;

pub use crate::nested;
pub use any_shape::AnyShape;
pub use at_least::{AtLeast, ExtentAtLeast};
pub use axes::{PerAxis, axis_of, no_step};
pub use charges::{Charge, ChargeGroup, Charges, IntoCharge};
pub use check::{
    AxesByType, AxesByValue, AxisPair, CompareAtRunTime, GivenIndices, LaterPair, LocateAtRunTime, Mark, Position, check_rank,
    mark_axes, meet,
};
pub use extent::{Const, Dyn, Extent, Len};
pub use extents::{Axis, Extents};
pub use fixed::FixedIndices;
pub use fused::{
    DivideAtRunTime, Division, Minimum, MinimumAtRunTime, Product, ProductAtRunTime, Quotient, QuotientAtRunTime, Shorter,
};
pub use index::MultiIndex;
pub use indices::Indices;
pub use inline::{ConstExtent, NestedArray, StaticExtents};
pub use into::{IntoExtent, IntoShape};
pub use jagged::{JaggedBoxes, JaggedIndices, JaggedShape};
pub use joined::{Join, JoinExtent};
pub use mask::Mask;
pub use nested_shape::Nested;
pub use outcome::{Compared, Divided, Located};
pub use tiled::TiledShape;
pub use tiling::Tiling;
pub use value::Shape;
