//! The loaded kernels of a device. Each text is compiled or read from disk once; if several threads need the same text one of
//! them compiles it, and different texts are compiled at the same time.
//!
//! The compiler needs no device: nobody holds the stream lock while it works. `Driver::prepare` is given all kernels of a plan
//! before the first one runs.

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys;

use super::compiler::compile;
use super::disk_cache::CachedCode;
use super::status::check;
use crate::once_map::OnceMap;
use crate::text::{Kernel, ON_DEVICE, Source};
use tensorwrapper_core::error::{Error, ErrorKind};

/// A loaded kernel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Function(pub(super) sys::CUfunction);

/// A loaded text. It is unloaded when the device is closed.
#[derive(Clone, Copy, Debug)]
struct Module(sys::CUmodule);

// SAFETY: functions of CUDA may be used from any thread.
unsafe impl Send for Function {}
// SAFETY: as above, for modules.
unsafe impl Send for Module {}

/// Machine code of a text that is not loaded yet.
#[derive(Clone, Debug)]
pub(super) struct Code {
    cubin: Arc<[u8]>,
    /// Whether it was read from disk, so that it may be damaged.
    is_cached: bool,
}

/// The kernels of a device.
#[derive(Debug, Default)]
pub(super) struct Kernels {
    functions: Mutex<HashMap<String, Function>>,
    /// The code of texts that are not loaded yet.
    codes: OnceMap<String, Code>,
    modules: OnceMap<String, Module>,
}

impl Kernels {
    /// A kernel that was loaded before.
    pub(super) fn known(&self, kernel: &Kernel) -> Option<Function> {
        self.functions.lock().unwrap_or_else(PoisonError::into_inner).get(&kernel.name).copied()
    }

    /// The machine code of a text, read from disk or compiled; `None` if the text is loaded. The calling thread must not hold the
    /// stream lock: this takes long, and needs no device.
    ///
    /// # Errors
    /// [`ErrorKind::Kernel`](tensorwrapper_core::error::ErrorKind::Kernel) when it does not compile.
    pub(super) fn code(&self, source: &Source, architecture: &str) -> Result<Option<Code>, Error> {
        match self.modules.find(&source.name) {
            Some(_) => Ok(None),
            None => self.codes.get(source.name.clone(), || Code::new(source, architecture)).map(Some),
        }
    }

    /// Loads a kernel into the current context, from the code of its text.
    ///
    /// # Errors
    /// Those of the driver.
    pub(super) fn load(&self, kernel: &Kernel, code: Option<Code>, architecture: &str) -> Result<Function, Error> {
        let source = &*kernel.source;
        let module = self.modules.get(source.name.clone(), || match code {
            Some(code) => code.load(source, architecture),
            None => Code::new(source, architecture)?.load(source, architecture),
        })?;
        self.codes.forget(&source.name);
        let function = module.function(kernel)?;
        self.functions.lock().unwrap_or_else(PoisonError::into_inner).insert(kernel.name.clone(), function);
        Ok(function)
    }

    /// Unloads all kernels.
    ///
    /// # Safety
    /// The context is current, and no queued or recorded work uses them.
    pub(super) unsafe fn clear(&mut self) {
        self.functions.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        for Module(module) in self.modules.take() {
            // SAFETY: it was loaded here; the rest is the caller's promise.
            let _ = unsafe { sys::cuModuleUnload(module) };
        }
    }
}

impl Code {
    fn new(source: &Source, architecture: &str) -> Result<Code, Error> {
        let cached = CachedCode::new(&whole(source), architecture)?;
        match cached.read() {
            Some(cubin) => Ok(Code { cubin: cubin.into(), is_cached: true }),
            None => Code::compiled(source, architecture),
        }
    }

    fn compiled(source: &Source, architecture: &str) -> Result<Code, Error> {
        let text = whole(source);
        // What stands in front of every text says nothing about this one.
        let own = |error: Error| match error.kind() {
            ErrorKind::Kernel { message, .. } => {
                Error::new(ErrorKind::Kernel { message: message.clone(), source: source.text.clone() })
            }
            _ => error,
        };
        let cubin = compile(&text, architecture).map_err(own)?.cubin;
        CachedCode::new(&text, architecture)?.write(&cubin);
        Ok(Code { cubin: cubin.into(), is_cached: false })
    }

    fn load(&self, source: &Source, architecture: &str) -> Result<Module, Error> {
        match Module::load(&self.cubin) {
            Err(_) if self.is_cached => Module::load(&Code::compiled(source, architecture)?.cubin),
            loaded => loaded,
        }
    }
}

/// A text with its preamble, as it is compiled.
fn whole(source: &Source) -> String {
    ON_DEVICE.concat() + &source.text
}

impl Module {
    fn load(cubin: &[u8]) -> Result<Module, Error> {
        let mut module = std::ptr::null_mut();
        // SAFETY: the code is complete: it comes from the compiler, or from a file whose digest was checked. The driver copies
        // it.
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
