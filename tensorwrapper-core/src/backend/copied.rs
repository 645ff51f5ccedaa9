//! A tensor's elements in the memory of a device: what a tensor keeps of a copy, or instead of its elements on the host.

use std::sync::Arc;

use super::device::Device;
use super::resident::DeviceMemory;

/// A tensor's elements in the memory of a device.
#[derive(Debug)]
pub struct Copied {
    /// The device that made the copy.
    pub device: Arc<dyn Device>,
    /// The memory, which only the device can read.
    pub memory: DeviceMemory,
    /// Whether the elements are on the device only. Then the memory of the host has room for them, and other values.
    pub is_only: bool,
}
