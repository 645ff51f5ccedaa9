//! Kernels that are loaded: each text is compiled, or read from the disk, once for a device; of several threads that ask for the same text one
//! compiles it, and different texts are compiled at the same time.

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Mutex, PoisonError};

use cudarc::driver::sys;

use super::check;
use super::compiler::compile;
use super::kept::Kept;
use crate::backend::cuda::once::Once;
use crate::backend::cuda::text::{Kernel, ON_DEVICE, Source};
use crate::error::Error;

/// A kernel that is loaded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Function(pub(super) sys::CUfunction);

/// A text that is loaded. It stays so as long as the device is open.
#[derive(Clone, Copy, Debug)]
struct Module(sys::CUmodule);

// SAFETY: functions of CUDA may be used from any thread.
unsafe impl Send for Function {}
// SAFETY: as above of modules.
unsafe impl Send for Module {}

/// The kernels of a device.
#[derive(Debug, Default)]
pub(super) struct Kernels {
    functions: Mutex<HashMap<String, Function>>,
    modules: Once<String, Module>,
}

impl Kernels {
    /// A kernel that was loaded before.
    pub(super) fn known(&self, kernel: &Kernel) -> Option<Function> {
        self.functions.lock().unwrap_or_else(PoisonError::into_inner).get(&kernel.name).copied()
    }

    /// A kernel of the calling thread's device.
    ///
    /// # Errors
    /// [`ErrorKind::Kernel`](crate::ErrorKind::Kernel) when its text does not compile, and what the driver reports.
    pub(super) fn load(&self, kernel: &Kernel, architecture: &str) -> Result<Function, Error> {
        let module = self.modules.get(kernel.source.name.clone(), || Module::new(&kernel.source, architecture))?;
        let function = module.function(kernel)?;
        self.functions.lock().unwrap_or_else(PoisonError::into_inner).insert(kernel.name.clone(), function);
        Ok(function)
    }

    /// Unloads all of them.
    ///
    /// # Safety
    /// The device is the calling thread's, and nothing that uses them is queued or recorded.
    pub(super) unsafe fn clear(&mut self) {
        self.functions.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        for Module(module) in self.modules.take() {
            // SAFETY: it was loaded here, and the caller promises the rest.
            let _ = unsafe { sys::cuModuleUnload(module) };
        }
    }
}

impl Module {
    fn new(source: &Source, architecture: &str) -> Result<Module, Error> {
        let text = ON_DEVICE.concat() + &source.text;
        let kept = Kept::new(&text, architecture)?;
        if let Some(module) = kept.read().and_then(|cubin| Module::load(&cubin).ok()) {
            return Ok(module);
        }
        let cubin = compile(&text, architecture)?.cubin;
        kept.write(&cubin);
        Module::load(&cubin)
    }

    fn load(cubin: &[u8]) -> Result<Module, Error> {
        let mut module = std::ptr::null_mut();
        // SAFETY: the code is complete, as the compiler made it, or as a sum over a file says; the driver copies it.
        check(unsafe { sys::cuModuleLoadData(&raw mut module, cubin.as_ptr().cast()) }, "kernels are loaded")?;
        Ok(Module(module))
    }

    fn function(self, kernel: &Kernel) -> Result<Function, Error> {
        let mut function = std::ptr::null_mut();
        let name = CString::new(kernel.name.as_str()).expect("names of kernels are letters and digits");
        // SAFETY: modules stay loaded, and the function is written.
        unsafe {
            check(sys::cuModuleGetFunction(&raw mut function, self.0, name.as_ptr()), "a kernel is looked for")?;
            let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            check(sys::cuFuncSetAttribute(function, attribute, kernel.shared as i32), "a kernel asks for shared memory")?;
        }
        Ok(Function(function))
    }
}
