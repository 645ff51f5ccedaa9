//! Kernels that are loaded: each text is compiled, or read from the disk, once for a device; of several threads that ask for the same text one
//! compiles it, and different texts are compiled at the same time.

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys;

use super::check;
use super::compiler::compile;
use super::kept::Kept;
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
    modules: Once<Module>,
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
        let module = self.modules.get(&kernel.source.name, || Module::new(&kernel.source, architecture))?;
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

/// Values by their names, each made once.
#[derive(Debug)]
struct Once<V>(Mutex<HashMap<String, Arc<Mutex<Option<V>>>>>);

impl<V> Default for Once<V> {
    fn default() -> Once<V> {
        Once(Mutex::default())
    }
}

impl<V: Copy> Once<V> {
    /// All values, none of which is there then.
    fn take(&mut self) -> Vec<V> {
        let places = std::mem::take(self.0.get_mut().unwrap_or_else(PoisonError::into_inner));
        places.into_values().filter_map(|place| *place.lock().unwrap_or_else(PoisonError::into_inner)).collect()
    }

    /// The value of that name. Who asks while it is made waits for it; nobody waits for others. What was not made is tried again.
    fn get(&self, name: &str, make: impl FnOnce() -> Result<V, Error>) -> Result<V, Error> {
        let place = Arc::clone(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(name.to_string()).or_default());
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        match *place {
            Some(value) => Ok(value),
            None => make().inspect(|value| *place = Some(*value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::{Duration, Instant};

    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn each_is_made_once_and_different_ones_at_the_same_time() {
        let (once, made, late) = (Once::<usize>::default(), AtomicUsize::new(0), Instant::now() + Duration::from_secs(60));
        let make = |value: usize| {
            made.fetch_add(1, Ordering::Relaxed);
            // Who makes one waits here for whoever makes the other.
            while made.load(Ordering::Relaxed) < 2 {
                assert!(Instant::now() < late, "one is made after the other");
                std::thread::yield_now();
            }
            Ok(value)
        };
        std::thread::scope(|scope| {
            for n in 0..8 {
                let (once, make) = (&once, &make);
                scope.spawn(move || assert_eq!(once.get(["a", "b"][n % 2], || make(n % 2)), Ok(n % 2)));
            }
        });
        assert_eq!(made.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn what_failed_is_tried_again() {
        let once = Once::<usize>::default();
        let failed = || Err(Error::new(ErrorKind::Device("no memory".to_string())));
        assert!(once.get("a", failed).is_err());
        assert_eq!(once.get("a", || Ok(1)), Ok(1));
        assert_eq!(once.get("a", failed), Ok(1));
    }
}
