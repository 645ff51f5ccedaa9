//! Dense tensors: owned, borrowed, and with their element type erased.
//!
//! Tensors hold elements and describe them, but compute nothing. This module knows nothing of equations, graphs or the work of
//! devices: all arithmetic happens on the floors above, through the erased views of [`erased`].

mod any;
mod blocks;
mod borrowed;
mod cast;
mod close;
mod constructors;
mod copy;
mod dense;
mod display;
mod erased;
mod extents;
mod fixed;
#[cfg(any(feature = "faer", feature = "nalgebra", feature = "ndarray"))]
mod interop;
mod located;
mod npy;
mod number;
mod placement;
mod select;
mod stored;
mod view;
mod view_mut;

#[cfg(test)]
mod tests;

pub use any::AnyTensor;
pub use blocks::Blocks;
pub use blocks::{AnyBlocks, BlocksRef};
#[cfg(test)]
pub(crate) use blocks::{drawn_structure, rounds};
pub(crate) use blocks::{element_at, fill_part, follows, meeting, norm, to_dense, untie};
pub use close::Difference;
pub(crate) use close::index_of;
pub(crate) use copy::{copy_between, extend_from, in_c_order};
pub use dense::Tensor;
pub(crate) use erased::AnyRef;
#[cfg(feature = "rand")]
pub(crate) use extents::row_major;
pub use fixed::StaticTensor;
pub(crate) use fixed::zeroed;
pub use placement::{ComputeDevice, MemoryKind, Placement};
pub(crate) use select::out_of_range;
pub use stored::Moved;
pub use view::{Elements, TensorRef};
pub use view_mut::TensorMut;
