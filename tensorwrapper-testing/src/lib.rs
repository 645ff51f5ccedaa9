//! What the tests of backends share: random tensors in random layouts, and a function that runs one contraction.
//!
//! To test a backend, compare its [`Device`](tensorwrapper_core::backend::Device) with
//! [`Reference`](tensorwrapper_core::backend::reference::Reference), which defines every result, on tensors that this crate makes. This
//! crate must not know any backend.

mod once;
mod random;

pub use once::contract_once;
pub use random::{Placed, assert_close, epsilon, number};
