//! Tensors in the memory of devices: copies of the host's, and those that are there alone.

mod copied;
mod device_tensor;
mod on_device;
mod tensors;

pub(super) use copied::hold_buffer;
pub use device_tensor::DeviceTensor;
pub use on_device::OnDevice;
pub(super) use on_device::has_memory;
