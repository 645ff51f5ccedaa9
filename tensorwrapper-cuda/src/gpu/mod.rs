//! The driver of a GPU: CUDA's own, with kernels that NVRTC compiles, each once for a device and once for a disk.
//!
//! One stream a device: everything is queued in it in order, and its memory pool keeps what was freed for what is asked for next.

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

/// The device of that number.
///
/// # Errors
/// [`ErrorKind::Unavailable`] where the driver, the compiler or the device is missing, [`ErrorKind::Device`] where it refuses.
pub fn open(ordinal: usize, host: Arc<dyn Device>) -> Result<Arc<dyn Device>, Error> {
    /// The devices that are in use: one of a number is one, whoever opened it first, so that what one context has there is every other's.
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
