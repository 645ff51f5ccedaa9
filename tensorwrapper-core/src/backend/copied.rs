//! A tensor's elements in the memory of a device, either as a copy of those on the host or in place of them.

use std::sync::Arc;

use super::compile::BackendInstance;
use super::resident::DeviceMemory;

/// A tensor's elements in the memory of a device.
#[derive(Debug)]
pub struct Copied {
    /// The backend of the device.
    pub backend: Arc<BackendInstance>,
    /// The memory, in a type that only the device knows.
    pub memory: DeviceMemory,
    /// Whether the elements are on the device only. The host then has memory for them, but its contents are not their values.
    pub is_only: bool,
}
