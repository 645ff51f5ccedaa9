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
pub(super) struct Blas(Mutex<BlasHandle>);

#[derive(Debug)]
struct BlasHandle {
    library: sys::cublasHandle_t,
    /// Work space for the library. With it the library allocates nothing, which a capture would not allow.
    work_space: CUdeviceptr,
}

// SAFETY: a handle may be used from any thread, by one at a time, as the lock around it ensures.
unsafe impl Send for BlasHandle {}

pub(super) fn check(status: Status, what: &str) -> Result<(), Error> {
    match status {
        Status::CUBLAS_STATUS_SUCCESS => Ok(()),
        other => Err(Error::new(ErrorKind::Device(format!("cuBLAS reports {other:?} when {what}")))),
    }
}

impl Blas {
    /// Starts the library, which is open, for the context of the calling thread.
    ///
    /// # Errors
    /// When it does not start.
    pub(super) fn new(stream: CUstream, architecture: &str) -> Result<Blas, Error> {
        // The sizes that NVIDIA recommends.
        let bytes = if architecture.starts_with("sm_8") { 4 << 20 } else { 32 << 20 };
        let (mut library, mut space) = (std::ptr::null_mut(), 0);
        // SAFETY: the library is open, and the handle is written.
        check(unsafe { sys::cublasCreate_v2(&raw mut library) }, "it starts")?;
        // SAFETY: the context is current, and the address is written; it is aligned to at least 256 bytes.
        let got = unsafe { cudarc::driver::sys::cuMemAlloc_v2(&raw mut space, bytes) };
        let blas = Blas(Mutex::new(BlasHandle { library, work_space: space }));
        if got == CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            return Err(Error::new(ErrorKind::Memory { bytes: bytes as u128 }));
        }
        check_driver(got, "cuBLAS is given memory")?;
        // SAFETY: the handle was just made; both libraries mean the same by a stream.
        check(unsafe { sys::cublasSetStream_v2(library, stream.cast()) }, "it is given a stream")?;
        // SAFETY: the memory was just allocated, and lives as long as the handle. Setting a stream resets it, so that comes
        // first.
        check(unsafe { sys::cublasSetWorkspace_v2(library, space as *mut c_void, bytes) }, "it is given memory")?;
        Ok(blas)
    }

    /// Calls the library with its handle, which is locked meanwhile.
    pub(super) fn with<R>(&self, call: impl FnOnce(sys::cublasHandle_t) -> R) -> R {
        call(self.0.lock().unwrap_or_else(PoisonError::into_inner).library)
    }

    /// The library's version.
    ///
    /// # Errors
    /// When the library does not answer.
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
    /// The context is current, and the matrices lie in memory of the device.
    pub(super) unsafe fn multiply(&self, gemm: &Gemm, [a, b]: [Address; 2], c: Address) -> Result<(), Error> {
        let single = [gemm.alpha, Complex::ZERO].map(|number| Complex::new(number.re as f32, number.im as f32));
        let double = [gemm.alpha, Complex::ZERO];
        // Pointers to numbers on the host, of the matrices' element type. A real number is the first part of a complex one.
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

impl Drop for BlasHandle {
    fn drop(&mut self) {
        // SAFETY: the only owner is being dropped. Failures are ignored; the address is 0 if nothing was allocated.
        unsafe {
            let _ = sys::cublasDestroy_v2(self.library);
            if self.work_space != 0 {
                let _ = cudarc::driver::sys::cuMemFree_v2(self.work_space);
            }
        }
    }
}
