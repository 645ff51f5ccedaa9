//! What the tests of backends share: random tensors in random layouts, and one call of a device.
//!
//! Whoever writes a backend compares its [`Device`](tensorwrapper_core::backend::Device) with
//! [`Reference`](tensorwrapper_core::backend::reference::Reference), which defines every result, over what this crate makes.
//! It must not know any backend.

mod once;
mod random;

pub use once::contract_once;
pub use random::{Placed, assert_close, epsilon, number};
