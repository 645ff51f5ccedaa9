//! How elements lie in memory: strides, the one form that views, kernels and plans share.
//!
//! Knows nothing of elements.

mod strided;

pub(crate) use strided::{Positions, Strided, element_count};
