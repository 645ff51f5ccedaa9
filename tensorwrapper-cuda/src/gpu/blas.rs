//! cuBLAS: products of matrices, queued in the device's stream.

use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};

use cudarc::cublas::sys::{self, cublasComputeType_t as Compute, cublasOperation_t as Operation, cublasStatus_t as Status};
use cudarc::driver::sys::{CUdeviceptr, CUresult, CUstream};
use num_complex::Complex;

use super::status::check as check_driver;
use crate::memory::Address;
use crate::text::{Gemm, Stored, Transpose};
use tensorwrapper_core::element::EveryDtype;
use tensorwrapper_core::error::{Error, ErrorKind};

/// The library's state for a device, which one thread uses at a time.
#[derive(Debug)]
pub(super) struct Blas(Mutex<Handle>);

#[derive(Debug)]
struct Handle {
    library: sys::cublasHandle_t,
    /// What the library works in: given to it, it allocates nothing, also where its calls are captured.
    space: CUdeviceptr,
}

// SAFETY: a handle may be used from any thread, by one at a time, which the lock around it sees to.
unsafe impl Send for Handle {}

pub(super) fn check(status: Status, what: &str) -> Result<(), Error> {
    match status {
        Status::CUBLAS_STATUS_SUCCESS => Ok(()),
        other => Err(Error::new(ErrorKind::Device(format!("cuBLAS reports {other:?} when {what}")))),
    }
}

impl Blas {
    /// Starts the library, which is open, for the device of the calling thread.
    ///
    /// # Errors
    /// When it does not start.
    pub(super) fn new(stream: CUstream, architecture: &str) -> Result<Blas, Error> {
        // What NVIDIA recommends for each.
        let bytes = if architecture.starts_with("sm_8") { 4 << 20 } else { 32 << 20 };
        let (mut library, mut space) = (std::ptr::null_mut(), 0);
        // SAFETY: the library is open, and the handle is written.
        check(unsafe { sys::cublasCreate_v2(&raw mut library) }, "it starts")?;
        // SAFETY: the device is the thread's, and the address is written; it is aligned to 256 bytes and more.
        let got = unsafe { cudarc::driver::sys::cuMemAlloc_v2(&raw mut space, bytes) };
        let blas = Blas(Mutex::new(Handle { library, space }));
        if got == CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            return Err(Error::new(ErrorKind::Memory { bytes: bytes as u128 }));
        }
        check_driver(got, "cuBLAS is given memory")?;
        // SAFETY: the handle was just made; both libraries' streams are the same thing.
        check(unsafe { sys::cublasSetStream_v2(library, stream.cast()) }, "it is given a stream")?;
        // SAFETY: the memory was just allocated, and lives as long as the handle. A new stream would forget it, so it comes second.
        check(unsafe { sys::cublasSetWorkspace_v2(library, space as *mut c_void, bytes) }, "it is given memory")?;
        Ok(blas)
    }

    /// The library's state, for other calls of it.
    pub(super) fn with<R>(&self, call: impl FnOnce(sys::cublasHandle_t) -> R) -> R {
        call(self.0.lock().unwrap_or_else(PoisonError::into_inner).library)
    }

    /// The library's version.
    ///
    /// # Errors
    /// When it does not say.
    pub(super) fn version(&self) -> Result<i32, Error> {
        let mut version = 0;
        self.with(|library| {
            // SAFETY: the library is open, and the number is written.
            check(unsafe { sys::cublasGetVersion_v2(library, &raw mut version) }, "it is asked for its version")
        })?;
        Ok(version)
    }

    /// Queues products.
    ///
    /// # Errors
    /// When the library refuses them.
    ///
    /// # Safety
    /// The device is the calling thread's, and has memory for all that the arguments lead to.
    pub(super) unsafe fn multiply(&self, gemm: &Gemm, [a, b]: [Address; 2], c: Address) -> Result<(), Error> {
        let single = [gemm.alpha, Complex::ZERO].map(|number| Complex::new(number.re as f32, number.im as f32));
        let double = [gemm.alpha, Complex::ZERO];
        // Numbers of the host's, of the matrices' element type: the real part stands first.
        let ([alpha, beta], compute): ([*const c_void; 2], Compute) = match gemm.dtype.every() {
            EveryDtype::F32 | EveryDtype::C32 if gemm.tf32 => {
                (single.each_ref().map(untyped), Compute::CUBLAS_COMPUTE_32F_FAST_TF32)
            }
            EveryDtype::F32 | EveryDtype::C32 => (single.each_ref().map(untyped), Compute::CUBLAS_COMPUTE_32F),
            EveryDtype::F64 | EveryDtype::C64 => (double.each_ref().map(untyped), Compute::CUBLAS_COMPUTE_64F),
        };
        let kind = match gemm.dtype.every() {
            EveryDtype::F32 => sys::cudaDataType::CUDA_R_32F,
            EveryDtype::F64 => sys::cudaDataType::CUDA_R_64F,
            EveryDtype::C32 => sys::cudaDataType::CUDA_C_32F,
            EveryDtype::C64 => sys::cudaDataType::CUDA_C_64F,
        };
        let [m, n, k] = gemm.sizes;
        let [(left, Stored { ld: lda, batch_stride: step_a, .. }), (right, Stored { ld: ldb, batch_stride: step_b, .. })] =
            gemm.factors;
        let handle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the caller's promise; the numbers are read before the call returns.
        let status = unsafe {
            sys::cublasGemmStridedBatchedEx(
                handle.library,
                operation(left),
                operation(right),
                m,
                n,
                k,
                alpha,
                a as *const c_void,
                kind,
                lda,
                step_a,
                b as *const c_void,
                kind,
                ldb,
                step_b,
                beta,
                c as *mut c_void,
                kind,
                gemm.output.ld,
                gemm.output.batch_stride,
                gemm.batch,
                compute,
                sys::cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT,
            )
        };
        check(status, "a product is queued")
    }
}

fn untyped<T>(number: &T) -> *const c_void {
    std::ptr::from_ref(number).cast()
}

fn operation(transpose: Transpose) -> Operation {
    match transpose {
        Transpose::Plain => Operation::CUBLAS_OP_N,
        Transpose::Transposed => Operation::CUBLAS_OP_T,
        Transpose::Adjoint => Operation::CUBLAS_OP_C,
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: the only owner is going. What the library says of it is no fault of the caller's; what was not allocated is 0.
        unsafe {
            let _ = sys::cublasDestroy_v2(self.library);
            if self.space != 0 {
                let _ = cudarc::driver::sys::cuMemFree_v2(self.space);
            }
        }
    }
}
