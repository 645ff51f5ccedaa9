//! Jagged shapes: sets of indices whose rows need not have equal extents.
//!
//! Knows nothing of elements, of tilings, or of layers.

mod boxes;
mod select;
mod value;

#[cfg(test)]
mod tests;

pub use boxes::{JaggedBoxes, JaggedIndices};
pub use value::JaggedShape;
