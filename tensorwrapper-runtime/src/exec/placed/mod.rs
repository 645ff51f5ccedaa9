//! Tensors in the memory of devices: copies of tensors on the host, and tensors that are only on a device.

mod copied;
mod device_tensor;
mod on_device;
mod tensors;

pub(super) use copied::{Placed, hold_buffer};
pub use device_tensor::DeviceTensor;
pub use on_device::OnDevice;
pub(super) use on_device::has_memory;
