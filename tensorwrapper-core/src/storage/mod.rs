//! Memory that holds elements: owned, borrowed with the element type erased, kept for new results, mirrored on a device.
//!
//! Knows neither extents nor strides. The files from the bottom up: `plain` has the trait of types that memory holds, `memory_pool` keeps
//! the memory of dropped tensors, `memory` allocates, `device_mirror` knows which elements have a copy on a device, `owned` owns
//! elements, and `erased` erases their type.

pub mod device_mirror;
pub(crate) mod erased;
pub(crate) mod memory;
pub(crate) mod memory_pool;
pub(crate) mod owned;
pub(crate) mod plain;

pub use erased::{Buffer, SliceMut, SliceRef};
pub use memory_pool::{LINE, keep_memory};
pub use owned::Owned;
pub use plain::Plain;
