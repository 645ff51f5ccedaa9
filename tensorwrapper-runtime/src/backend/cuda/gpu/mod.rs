//! The driver of a GPU: CUDA's own, with kernels that NVRTC compiles, each once for a device and once for a disk.
//!
//! One stream a device: everything is queued in it in order, and its memory pool keeps what was freed for what is asked for next.

mod blas;
mod compiler;
mod kept;

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

use blas::Blas;
pub use compiler::{Compiled, compile, version};
use cudarc::driver::sys::{self, CUresult};

use super::device::Cuda;
use super::driver::{Address, Driver};
use super::gemm::Gemm;
use super::library::Library;
use super::text::{Kernel, ON_DEVICE, Route};
use crate::backend::Device;
use crate::error::{Error, ErrorKind};

/// The device of that number.
///
/// # Errors
/// [`ErrorKind::Unavailable`] where the driver, the compiler or the device is missing, [`ErrorKind::Device`] where it refuses.
pub(crate) fn open(ordinal: usize) -> Result<Arc<dyn Device>, Error> {
    Library::Driver.open()?;
    Library::Compiler.open()?;
    Ok(Arc::new(Cuda::new(Arc::new(Gpu::open(ordinal)?), Route::Chosen)))
}

/// A GPU.
#[derive(Debug)]
struct Gpu {
    ordinal: usize,
    context: sys::CUcontext,
    stream: sys::CUstream,
    /// Such as `sm_90a`.
    architecture: String,
    /// Products of matrices, where the library for them was found.
    blas: Option<Blas>,
    /// Kernels by their names.
    functions: Mutex<HashMap<String, Function>>,
}

/// A kernel that is loaded.
#[derive(Clone, Copy, Debug)]
struct Function(sys::CUfunction);

// SAFETY: contexts, streams and functions of CUDA may be used from any thread; the only changing state is behind a lock.
unsafe impl Send for Gpu {}
// SAFETY: as above.
unsafe impl Sync for Gpu {}
// SAFETY: as above.
unsafe impl Send for Function {}

/// What the driver said of a call.
fn check(result: CUresult, what: &str) -> Result<(), Error> {
    match result {
        CUresult::CUDA_SUCCESS => Ok(()),
        other => Err(Error::new(ErrorKind::Device(format!("the GPU reports {other:?} when {what}")))),
    }
}

impl Gpu {
    fn open(ordinal: usize) -> Result<Gpu, Error> {
        let no_device = |count: i32| {
            let library = format!("the CUDA device {ordinal}");
            Error::new(ErrorKind::Unavailable { library, tried: vec![format!("{count} devices")] })
        };
        let (mut device, mut context, mut stream, mut count) = (0, std::ptr::null_mut(), std::ptr::null_mut(), 0);
        // SAFETY: the driver is open, and each call writes to a variable of its own.
        unsafe {
            match sys::cuInit(0) {
                CUresult::CUDA_ERROR_NO_DEVICE => return Err(no_device(0)),
                other => check(other, "the driver starts")?,
            }
            check(sys::cuDeviceGetCount(&raw mut count), "devices are counted")?;
            let number = i32::try_from(ordinal).ok().filter(|&number| number < count).ok_or_else(|| no_device(count))?;
            check(sys::cuDeviceGet(&raw mut device, number), "a device is opened")?;
            check(sys::cuDevicePrimaryCtxRetain(&raw mut context, device), "a device is opened")?;
        }
        let mut gpu = Gpu {
            ordinal,
            context,
            stream: std::ptr::null_mut(),
            architecture: String::new(),
            blas: None,
            functions: Mutex::default(),
        };
        gpu.enter()?;
        // SAFETY: the context is current, and the stream is written.
        let made = unsafe { sys::cuStreamCreate(&raw mut stream, sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32) };
        check(made, "a stream is made")?;
        gpu.stream = stream;
        gpu.architecture = architecture(device)?;
        keep_memory(device)?;
        if Library::Products.open().is_ok() {
            gpu.blas = Some(Blas::new(stream)?);
        }
        Ok(gpu)
    }

    /// Makes the device the calling thread's.
    fn enter(&self) -> Result<(), Error> {
        // SAFETY: the context is held by this value.
        check(unsafe { sys::cuCtxSetCurrent(self.context) }, "a thread turns to it")
    }

    /// The kernel, compiled, read from disk or known already.
    fn function(&self, kernel: &Kernel) -> Result<Function, Error> {
        let mut functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&function) = functions.get(&kernel.name) {
            return Ok(function);
        }
        self.enter()?;
        let source = ON_DEVICE.concat() + &kernel.text;
        let kept = kept::Kept::new(&source, &self.architecture)?;
        let loaded = kept.read().and_then(|cubin| load(&cubin, kernel).ok());
        let function = match loaded {
            Some(function) => function,
            None => {
                let cubin = compile(&source, &self.architecture)?.cubin;
                kept.write(&cubin);
                load(&cubin, kernel)?
            }
        };
        functions.insert(kernel.name.clone(), function);
        Ok(function)
    }
}

/// The name of a device's architecture, with all that it alone can do.
fn architecture(device: sys::CUdevice) -> Result<String, Error> {
    use sys::CUdevice_attribute as Attribute;
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the device is one, and each call writes to a variable of its own.
    unsafe {
        let attribute = Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR;
        check(sys::cuDeviceGetAttribute(&raw mut major, attribute, device), "it is asked for its architecture")?;
        let attribute = Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR;
        check(sys::cuDeviceGetAttribute(&raw mut minor, attribute, device), "it is asked for its architecture")?;
    }
    // Products in double precision need the tensor cores that came with 8.0.
    if major < 8 {
        let library = "a GPU of compute capability 8.0 or newer".to_string();
        return Err(Error::new(ErrorKind::Unavailable { library, tried: vec![format!("compute capability {major}.{minor}")] }));
    }
    Ok(format!("sm_{major}{minor}{}", if major >= 9 { "a" } else { "" }))
}

/// Has the device's pool keep freed memory, which every run asks for again.
fn keep_memory(device: sys::CUdevice) -> Result<(), Error> {
    let (mut pool, mut most) = (std::ptr::null_mut(), u64::MAX);
    // SAFETY: the pool is written, then told a number that lives until the call returns.
    unsafe {
        check(sys::cuDeviceGetDefaultMemPool(&raw mut pool, device), "its memory pool is asked for")?;
        let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        check(sys::cuMemPoolSetAttribute(pool, attribute, (&raw mut most).cast()), "its memory pool is set up")
    }
}

/// Loads machine code, and finds the kernel in it.
fn load(cubin: &[u8], kernel: &Kernel) -> Result<Function, Error> {
    let (mut module, mut function) = (std::ptr::null_mut(), std::ptr::null_mut());
    let name = std::ffi::CString::new(kernel.name.as_str()).expect("names of kernels are letters and digits");
    // SAFETY: the code is complete, and the driver copies it. Modules stay loaded as long as the device is used.
    unsafe {
        check(sys::cuModuleLoadData(&raw mut module, cubin.as_ptr().cast()), "a kernel is loaded")?;
        check(sys::cuModuleGetFunction(&raw mut function, module, name.as_ptr()), "a kernel is looked for")?;
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        check(sys::cuFuncSetAttribute(function, attribute, kernel.shared as i32), "a kernel asks for shared memory")?;
    }
    Ok(Function(function))
}

impl Driver for Gpu {
    fn name(&self) -> &'static str {
        "cuda"
    }

    fn number(&self) -> usize {
        self.ordinal
    }

    fn allocate(&self, bytes: usize) -> Result<Address, Error> {
        self.enter()?;
        let mut address = 0;
        // SAFETY: the stream is the device's, and the address is written.
        match unsafe { sys::cuMemAllocAsync(&raw mut address, bytes, self.stream) } {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => Err(Error::new(ErrorKind::Memory { bytes: bytes as u128 })),
            other => check(other, "memory is allocated").map(|()| address),
        }
    }

    unsafe fn free(&self, address: Address, _: usize) {
        // A device that is lost has no memory to take back, so that nothing is made of a failure.
        if self.enter().is_ok() {
            // SAFETY: the caller's promise; what is queued comes first.
            let _ = unsafe { sys::cuMemFreeAsync(address, self.stream) };
        }
    }

    unsafe fn upload(&self, from: &[u8], to: Address) -> Result<(), Error> {
        self.enter()?;
        // SAFETY: the caller has memory there. Pageable memory has been read when the call returns.
        check(unsafe { sys::cuMemcpyHtoDAsync_v2(to, from.as_ptr().cast(), from.len(), self.stream) }, "operands are copied")
    }

    unsafe fn download(&self, from: Address, to: &mut [u8]) -> Result<(), Error> {
        self.enter()?;
        // SAFETY: the caller has memory there, and the copy is done before anybody reads it.
        check(unsafe { sys::cuMemcpyDtoHAsync_v2(to.as_mut_ptr().cast(), from, to.len(), self.stream) }, "results are copied")?;
        self.finish()
    }

    unsafe fn copy(&self, from: Address, to: Address, bytes: usize) -> Result<(), Error> {
        self.enter()?;
        // SAFETY: the caller has memory at both.
        check(unsafe { sys::cuMemcpyDtoDAsync_v2(to, from, bytes, self.stream) }, "its memory is copied")
    }

    unsafe fn clear(&self, at: Address, bytes: usize) -> Result<(), Error> {
        self.enter()?;
        // SAFETY: the caller has memory there.
        check(unsafe { sys::cuMemsetD8Async(at, 0, bytes, self.stream) }, "its memory is cleared")
    }

    fn finish(&self) -> Result<(), Error> {
        self.enter()?;
        // SAFETY: the stream is the device's.
        check(unsafe { sys::cuStreamSynchronize(self.stream) }, "its work is waited for")
    }

    fn prepare(&self, kernel: &Kernel) -> Result<(), Error> {
        self.function(kernel).map(|_| ())
    }

    unsafe fn launch(&self, kernel: &Kernel, arguments: &[Address]) -> Result<(), Error> {
        let Function(function) = self.function(kernel)?;
        self.enter()?;
        let mut values = arguments.to_vec();
        let mut pointers: Vec<*mut c_void> = values.iter_mut().map(|value| std::ptr::from_mut(value).cast()).collect();
        // SAFETY: the arguments are those of the text, by the caller's promise; they are copied before the call returns.
        let launched = unsafe {
            sys::cuLaunchKernel(
                function,
                kernel.blocks,
                1,
                1,
                kernel.threads,
                1,
                1,
                kernel.shared,
                self.stream,
                pointers.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        check(launched, "a kernel is launched")
    }

    fn products(&self) -> Option<&'static str> {
        self.blas.as_ref().map(|_| "cuBLAS")
    }

    unsafe fn multiply(&self, product: &Gemm, factors: [Address; 2], output: Address) -> Result<(), Error> {
        self.enter()?;
        let blas = self.blas.as_ref().expect("products are the library's where there is one");
        // SAFETY: the device has just become the thread's; the rest is the caller's promise.
        unsafe { blas.multiply(product, factors, output) }
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        if self.enter().is_ok() {
            // SAFETY: the only owner is going. What is queued is waited for first.
            unsafe {
                let _ = sys::cuStreamSynchronize(self.stream);
                // The library's memory belongs to the stream.
                self.blas = None;
                let _ = sys::cuStreamDestroy_v2(self.stream);
            }
        }
    }
}
