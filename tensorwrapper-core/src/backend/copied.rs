//! A tensor's elements in the memory of a device: what a tensor keeps of a copy, or instead of its elements on the host.

use std::sync::Arc;

use super::compile::BackendInstance;
use super::resident::DeviceMemory;

/// A tensor's elements in the memory of a device.
#[derive(Debug)]
pub struct Copied {
    /// Whose device it is.
    pub backend: Arc<BackendInstance>,
    /// What only the device knows.
    pub memory: DeviceMemory,
    /// Whether the elements are on the device only. Then the memory of the host has room for them, and other values.
    pub is_only: bool,
}
