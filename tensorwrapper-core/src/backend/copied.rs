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
    /// Whether they are there alone: what lies at the host's addresses is not them.
    pub is_only: bool,
}
