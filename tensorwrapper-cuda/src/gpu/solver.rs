//! Routines of linear algebra, queued in the device's stream: those of cuSOLVER, and of cuBLAS those for batches of small
//! matrices and for triangles.

use std::sync::{Mutex, PoisonError};

use cudarc::cublas::sys as blas;
use cudarc::cusolver::sys::{self as solver, cusolverStatus_t as Status};
use cudarc::driver::sys::{CUstream, cuMemFreeAsync};

use super::blas::{Blas, check as check_blas};
use super::pool::Pool;
use crate::memory::Address;
use crate::routine::{Call, Divisor, Routine};
use tensorwrapper_core::element::EveryDtype;
use tensorwrapper_core::error::{Error, ErrorKind};

/// The library's state for a device, which one thread uses at a time.
#[derive(Debug)]
pub(super) struct Solver(Mutex<SolverHandle>);

#[derive(Debug)]
struct SolverHandle {
    library: solver::cusolverDnHandle_t,
    stream: CUstream,
    /// Parameters of the Jacobi iterations: the library's defaults, which iterate to rounding errors and sort the results.
    eigenvalues: solver::syevjInfo_t,
    singular_values: solver::gesvdjInfo_t,
}

// SAFETY: a handle may be used from any thread, by one at a time, as the lock around it ensures.
unsafe impl Send for SolverHandle {}

fn check(status: Status, what: &str) -> Result<(), Error> {
    match status {
        Status::CUSOLVER_STATUS_SUCCESS => Ok(()),
        other => Err(Error::new(ErrorKind::Device(format!("cuSOLVER reports {other:?} when {what}")))),
    }
}

/// Work space, which is freed behind the work that uses it.
struct WorkSpace(Address, CUstream);

impl Drop for WorkSpace {
    fn drop(&mut self) {
        // SAFETY: it was allocated in this stream. A failure is ignored: a device that is lost cannot take memory back.
        let _ = unsafe { cuMemFreeAsync(self.0, self.1) };
    }
}

/// Calls the one of a library's four functions that is for this element type.
macro_rules! by_type {
    ($dtype:expr, $library:ident: $single:ident, $double:ident, $complex:ident, $double_complex:ident; $($argument:expr),* $(,)?) => {
        match $dtype.every() {
            EveryDtype::F32 => $library::$single($($argument),*),
            EveryDtype::F64 => $library::$double($($argument),*),
            EveryDtype::C32 => $library::$complex($($argument),*),
            EveryDtype::C64 => $library::$double_complex($($argument),*),
        }
    };
}

const LOWER: solver::cublasFillMode_t = solver::cublasFillMode_t::CUBLAS_FILL_MODE_LOWER;
const VECTORS: solver::cusolverEigMode_t = solver::cusolverEigMode_t::CUSOLVER_EIG_MODE_VECTOR;

impl Solver {
    /// Starts the library, which is open, for the context of the calling thread.
    ///
    /// # Errors
    /// When it does not start.
    pub(super) fn new(stream: CUstream) -> Result<Solver, Error> {
        let (library, eigenvalues, singular_values) = (std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut());
        let mut handle = SolverHandle { library, stream, eigenvalues, singular_values };
        // SAFETY: the library is open, and each call writes to a variable of its own; all of them are freed with the handle.
        unsafe {
            check(solver::cusolverDnCreate(&raw mut handle.library), "it starts")?;
            check(solver::cusolverDnSetStream(handle.library, stream.cast()), "it is given a stream")?;
            check(solver::cusolverDnCreateSyevjInfo(&raw mut handle.eigenvalues), "it is set up")?;
            check(solver::cusolverDnCreateGesvdjInfo(&raw mut handle.singular_values), "it is set up")?;
        }
        Ok(Solver(Mutex::new(handle)))
    }

    /// Queues a routine.
    ///
    /// # Errors
    /// When a library refuses it, and where there is no room for its work space.
    ///
    /// # Safety
    /// The context is current, and the memory of the arguments is as large as the routine says.
    pub(super) unsafe fn solve(&self, (products, pool): (&Blas, &Pool), call: &Call) -> Result<(), Error> {
        let handle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the caller's promise.
        unsafe {
            match call.routine {
                Routine::GetrfBatched { .. }
                | Routine::GetrsBatched { .. }
                | Routine::Trsm { .. }
                | Routine::TrsmBatched { .. } => products.with(|library| triangles(library, call)),
                _ => handle.routine(pool, call),
            }
        }
    }
}

impl SolverHandle {
    /// Allocates the work space of a routine. `ask` asks the library for the number of elements, which is returned as well.
    ///
    /// # Safety
    /// The context is current.
    unsafe fn space(
        &self,
        (pool, call): (&Pool, &Call),
        ask: impl FnOnce(*mut i32) -> Status,
    ) -> Result<(WorkSpace, i32), Error> {
        let mut elements = 0;
        check(ask(&raw mut elements), "it is asked for its work space")?;
        let counted = usize::try_from(elements).map_err(|_| {
            let what =
                format!("cuSOLVER asks for a work space of {elements} elements, which it cannot count, for {:?}", call.routine);
            Error::new(ErrorKind::Device(what))
        })?;
        // SAFETY: the caller's promise.
        let at = unsafe { pool.allocate((counted * call.dtype.size()).max(1), self.stream) }?;
        Ok((WorkSpace(at, self.stream), elements))
    }

    /// # Safety
    /// As for [`Solver::solve`].
    unsafe fn routine(&self, pool: &Pool, call: &Call) -> Result<(), Error> {
        let (lib, dtype) = (self.library, call.dtype);
        // SAFETY: the caller's promise; work space is as large as the library says.
        unsafe {
            let status = match call.routine {
                Routine::Potrf { n, a, info } => {
                    let (space, size) = self.space((pool, call), |size| by_type!(dtype, solver: cusolverDnSpotrf_bufferSize, cusolverDnDpotrf_bufferSize, cusolverDnCpotrf_bufferSize, cusolverDnZpotrf_bufferSize;
                        lib, LOWER, n, a.address as *mut _, a.ld, size))?;
                    by_type!(dtype, solver: cusolverDnSpotrf, cusolverDnDpotrf, cusolverDnCpotrf, cusolverDnZpotrf;
                        lib, LOWER, n, a.address as *mut _, a.ld, space.0 as *mut _, size, info as *mut _)
                }
                Routine::PotrfBatched { n, a, info, batch } => {
                    by_type!(dtype, solver: cusolverDnSpotrfBatched, cusolverDnDpotrfBatched, cusolverDnCpotrfBatched, cusolverDnZpotrfBatched;
                        lib, LOWER, n, a.address as *mut *mut _, a.ld, info as *mut _, batch)
                }
                Routine::Getrf { m, n, a, pivots, info } => {
                    let (space, _) = self.space((pool, call), |size| by_type!(dtype, solver: cusolverDnSgetrf_bufferSize, cusolverDnDgetrf_bufferSize, cusolverDnCgetrf_bufferSize, cusolverDnZgetrf_bufferSize;
                        lib, m, n, a.address as *mut _, a.ld, size))?;
                    by_type!(dtype, solver: cusolverDnSgetrf, cusolverDnDgetrf, cusolverDnCgetrf, cusolverDnZgetrf;
                        lib, m, n, a.address as *mut _, a.ld, space.0 as *mut _, pivots as *mut _, info as *mut _)
                }
                Routine::Getrs { n, columns, a, pivots, b, info } => {
                    let plain = solver::cublasOperation_t::CUBLAS_OP_N;
                    by_type!(dtype, solver: cusolverDnSgetrs, cusolverDnDgetrs, cusolverDnCgetrs, cusolverDnZgetrs;
                        lib, plain, n, columns, a.address as *const _, a.ld, pivots as *const _, b.address as *mut _, b.ld, info as *mut _)
                }
                Routine::Geqrf { m, n, a, tau, info } => {
                    let (space, size) = self.space((pool, call), |size| by_type!(dtype, solver: cusolverDnSgeqrf_bufferSize, cusolverDnDgeqrf_bufferSize, cusolverDnCgeqrf_bufferSize, cusolverDnZgeqrf_bufferSize;
                        lib, m, n, a.address as *mut _, a.ld, size))?;
                    by_type!(dtype, solver: cusolverDnSgeqrf, cusolverDnDgeqrf, cusolverDnCgeqrf, cusolverDnZgeqrf;
                        lib, m, n, a.address as *mut _, a.ld, tau as *mut _, space.0 as *mut _, size, info as *mut _)
                }
                Routine::Orgqr { m, n, k, a, tau, info } => {
                    let (space, size) = self.space((pool, call), |size| by_type!(dtype, solver: cusolverDnSorgqr_bufferSize, cusolverDnDorgqr_bufferSize, cusolverDnCungqr_bufferSize, cusolverDnZungqr_bufferSize;
                        lib, m, n, k, a.address as *const _, a.ld, tau as *const _, size))?;
                    by_type!(dtype, solver: cusolverDnSorgqr, cusolverDnDorgqr, cusolverDnCungqr, cusolverDnZungqr;
                        lib, m, n, k, a.address as *mut _, a.ld, tau as *const _, space.0 as *mut _, size, info as *mut _)
                }
                Routine::Syevd { n, a, values, info } => {
                    let (space, size) = self.space((pool, call), |size| by_type!(dtype, solver: cusolverDnSsyevd_bufferSize, cusolverDnDsyevd_bufferSize, cusolverDnCheevd_bufferSize, cusolverDnZheevd_bufferSize;
                        lib, VECTORS, LOWER, n, a.address as *const _, a.ld, values as *const _, size))?;
                    by_type!(dtype, solver: cusolverDnSsyevd, cusolverDnDsyevd, cusolverDnCheevd, cusolverDnZheevd;
                        lib, VECTORS, LOWER, n, a.address as *mut _, a.ld, values as *mut _, space.0 as *mut _, size, info as *mut _)
                }
                Routine::SyevjBatched { n, a, values, info, batch } => {
                    let how = self.eigenvalues;
                    let (space, size) = self.space((pool, call), |size| by_type!(dtype, solver: cusolverDnSsyevjBatched_bufferSize, cusolverDnDsyevjBatched_bufferSize, cusolverDnCheevjBatched_bufferSize, cusolverDnZheevjBatched_bufferSize;
                        lib, VECTORS, LOWER, n, a.address as *const _, a.ld, values as *const _, size, how, batch))?;
                    by_type!(dtype, solver: cusolverDnSsyevjBatched, cusolverDnDsyevjBatched, cusolverDnCheevjBatched, cusolverDnZheevjBatched;
                        lib, VECTORS, LOWER, n, a.address as *mut _, a.ld, values as *mut _, space.0 as *mut _, size, info as *mut _, how, batch)
                }
                Routine::Gesvd { full, m, n, a, values, u, vt, info } => {
                    let (space, size) = self.space((pool, call), |size| by_type!(dtype, solver: cusolverDnSgesvd_bufferSize, cusolverDnDgesvd_bufferSize, cusolverDnCgesvd_bufferSize, cusolverDnZgesvd_bufferSize;
                        lib, m, n, size))?;
                    let job = if full { b'A' } else { b'S' } as core::ffi::c_schar;
                    by_type!(dtype, solver: cusolverDnSgesvd, cusolverDnDgesvd, cusolverDnCgesvd, cusolverDnZgesvd;
                        lib, job, job, m, n, a.address as *mut _, a.ld, values as *mut _, u.address as *mut _, u.ld, vt.address as *mut _, vt.ld,
                        space.0 as *mut _, size, std::ptr::null_mut(), info as *mut _)
                }
                Routine::GesvdjBatched { m, n, a, values, u, v, info, batch } => {
                    let how = self.singular_values;
                    let (space, size) = self.space((pool, call), |size| by_type!(dtype, solver: cusolverDnSgesvdjBatched_bufferSize, cusolverDnDgesvdjBatched_bufferSize, cusolverDnCgesvdjBatched_bufferSize, cusolverDnZgesvdjBatched_bufferSize;
                        lib, VECTORS, m, n, a.address as *const _, a.ld, values as *const _, u.address as *const _, u.ld, v.address as *const _, v.ld, size, how, batch))?;
                    by_type!(dtype, solver: cusolverDnSgesvdjBatched, cusolverDnDgesvdjBatched, cusolverDnCgesvdjBatched, cusolverDnZgesvdjBatched;
                        lib, VECTORS, m, n, a.address as *mut _, a.ld, values as *mut _, u.address as *mut _, u.ld, v.address as *mut _, v.ld,
                        space.0 as *mut _, size, info as *mut _, how, batch)
                }
                Routine::GetrfBatched { .. }
                | Routine::GetrsBatched { .. }
                | Routine::Trsm { .. }
                | Routine::TrsmBatched { .. } => {
                    unreachable!("the other library has this routine")
                }
            };
            check(status, "linear algebra is queued")
        }
    }
}

/// How a triangle divides, as flags of the library.
type TriangleFlags = (blas::cublasSideMode_t, blas::cublasFillMode_t, blas::cublasOperation_t, blas::cublasDiagType_t);

fn arguments(by: Divisor) -> TriangleFlags {
    (
        if by.from_right { blas::cublasSideMode_t::CUBLAS_SIDE_RIGHT } else { blas::cublasSideMode_t::CUBLAS_SIDE_LEFT },
        if by.upper { blas::cublasFillMode_t::CUBLAS_FILL_MODE_UPPER } else { blas::cublasFillMode_t::CUBLAS_FILL_MODE_LOWER },
        if by.adjoint { blas::cublasOperation_t::CUBLAS_OP_C } else { blas::cublasOperation_t::CUBLAS_OP_N },
        if by.unit { blas::cublasDiagType_t::CUBLAS_DIAG_UNIT } else { blas::cublasDiagType_t::CUBLAS_DIAG_NON_UNIT },
    )
}

/// The routines of cuBLAS.
///
/// # Safety
/// As for [`Solver::solve`].
unsafe fn triangles(lib: blas::cublasHandle_t, call: &Call) -> Result<(), Error> {
    let (plain, dtype) = (blas::cublasOperation_t::CUBLAS_OP_N, call.dtype);
    let (one, one_double) = ([1.0f32, 0.0], [1.0f64, 0.0]);
    // A pointer to a number on the host, of the matrices' element type. A real number is the first part of a complex one.
    let alpha: Address = match dtype.every() {
        EveryDtype::F32 | EveryDtype::C32 => one.as_ptr() as Address,
        EveryDtype::F64 | EveryDtype::C64 => one_double.as_ptr() as Address,
    };
    // SAFETY: the caller's promise; the numbers on the host live until the calls return.
    let status = unsafe {
        match call.routine {
            Routine::GetrfBatched { n, a, pivots, info, batch } => {
                by_type!(dtype, blas: cublasSgetrfBatched, cublasDgetrfBatched, cublasCgetrfBatched, cublasZgetrfBatched;
                    lib, n, a.address as *const *mut _, a.ld, pivots as *mut _, info as *mut _, batch)
            }
            Routine::GetrsBatched { n, columns, a, pivots, b, batch } => {
                // This routine checks its arguments at once, and writes its `info` to the host.
                let mut info = 0;
                let status = by_type!(dtype, blas: cublasSgetrsBatched, cublasDgetrsBatched, cublasCgetrsBatched, cublasZgetrsBatched;
                    lib, plain, n, columns, a.address as *const *const _, a.ld, pivots as *const _, b.address as *const *mut _, b.ld, &raw mut info, batch);
                if info != 0 {
                    return Err(Error::new(ErrorKind::Device(format!(
                        "cuBLAS refuses argument {} of a system of equations",
                        -info
                    ))));
                }
                status
            }
            Routine::Trsm { by, m, n, a, b } => {
                let (side, fill, transpose, diagonal) = arguments(by);
                by_type!(dtype, blas: cublasStrsm_v2, cublasDtrsm_v2, cublasCtrsm_v2, cublasZtrsm_v2;
                    lib, side, fill, transpose, diagonal, m, n, alpha as *const _, a.address as *const _, a.ld, b.address as *mut _, b.ld)
            }
            Routine::TrsmBatched { by, m, n, a, b, batch } => {
                let (side, fill, transpose, diagonal) = arguments(by);
                by_type!(dtype, blas: cublasStrsmBatched, cublasDtrsmBatched, cublasCtrsmBatched, cublasZtrsmBatched;
                    lib, side, fill, transpose, diagonal, m, n, alpha as *const _, a.address as *const *const _, a.ld, b.address as *const *mut _, b.ld, batch)
            }
            _ => unreachable!("the other library has this routine"),
        }
    };
    check_blas(status, "linear algebra is queued")
}

impl Drop for SolverHandle {
    fn drop(&mut self) {
        // SAFETY: the only owner is being dropped. Failures are ignored; pointers that were not set are null.
        unsafe {
            if !self.singular_values.is_null() {
                let _ = solver::cusolverDnDestroyGesvdjInfo(self.singular_values);
            }
            if !self.eigenvalues.is_null() {
                let _ = solver::cusolverDnDestroySyevjInfo(self.eigenvalues);
            }
            if !self.library.is_null() {
                let _ = solver::cusolverDnDestroy(self.library);
            }
        }
    }
}
