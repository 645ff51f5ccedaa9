//! GPUs, by the CUDA driver. NVRTC compiles kernels, each once: the machine code is kept on disk.
//!
//! Each device has one stream, in which all work is queued in order, and a memory pool, which keeps freed memory for later
//! allocations.

mod blas;
mod compiler;
mod device_properties;
mod disk_cache;
mod driver;
mod graph;
mod kernels;
mod pool;
mod solver;
mod status;
mod stream;

use std::sync::{Arc, Mutex, PoisonError, Weak};

pub use compiler::{Compiled, compile, version};
use driver::Gpu;

use crate::device::Cuda;
use crate::library::NvidiaLibrary;
use crate::text::Route;
use tensorwrapper_core::backend::Device;
use tensorwrapper_core::error::Error;

/// Opens the device of that number; `host` computes what the device cannot.
///
/// # Errors
/// [`ErrorKind::Unavailable`](tensorwrapper_core::error::ErrorKind::Unavailable) where the driver, NVRTC or the device is
/// missing, and [`ErrorKind::Device`](tensorwrapper_core::error::ErrorKind::Device) where the device refuses.
pub fn open(ordinal: usize, host: Arc<dyn Device>) -> Result<Arc<dyn Device>, Error> {
    /// The devices that are in use. A device that is open is not opened again, so that contexts share the tensors that are there.
    static OPEN: Mutex<Vec<Weak<Gpu>>> = Mutex::new(Vec::new());
    NvidiaLibrary::Driver.open()?;
    NvidiaLibrary::Nvrtc.open()?;
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|gpu| gpu.strong_count() > 0);
    let known = open.iter().filter_map(Weak::upgrade).find(|gpu| gpu.is_number(ordinal));
    let gpu = match known {
        Some(gpu) => gpu,
        None => {
            let gpu = Arc::new(Gpu::open(ordinal)?);
            open.push(Arc::downgrade(&gpu));
            gpu
        }
    };
    Ok(Arc::new(Cuda::new(gpu, Route::Chosen, host)))
}
