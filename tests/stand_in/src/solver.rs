//! cuSOLVER's routines, each for four element types.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_schar};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cudarc::cusolver::sys::{self as solver, cusolverStatus_t};
use cudarc::driver::sys::CUstream;
use num_complex::Complex;

use crate::dense::{self, Columns};
use crate::driver::current;
use crate::routine::{check, check_row, check_space, kind, numbers, put, routine};
use crate::streams::{self, Work};
use crate::{export, forbidden};

/// Rows and columns that singular values by rotations may have.
const JACOBI: c_int = 32;

/// Handles: their devices and streams. Settings of iterations have no stream.
static HANDLES: Mutex<BTreeMap<usize, (usize, usize)>> = Mutex::new(BTreeMap::new());

fn handles() -> MutexGuard<'static, BTreeMap<usize, (usize, usize)>> {
    HANDLES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Handles and settings that there are.
pub(crate) fn count() -> usize {
    handles().len()
}

pub(crate) fn reset() {
    handles().clear();
}

fn make() -> usize {
    let mut handles = handles();
    let number = handles.keys().next_back().map_or(1, |last| last + 1);
    handles.insert(number, (current(), 0));
    number
}

/// The stream of a handle of the thread's device.
fn stream(handle: usize) -> CUstream {
    match handles().get(&handle) {
        Some(&(device, stream)) if device == current() => stream as CUstream,
        _ => forbidden!("there is no cuSOLVER {handle} on device {}", current()),
    }
}

fn queue(handle: solver::cusolverDnHandle_t, work: impl Fn() + Send + Sync + 'static) {
    streams::queue(
        stream(handle as usize),
        Work::new(move || {
            work();
            Ok(())
        }),
    );
}

fn lower(fill: solver::cublasFillMode_t, mode: Option<solver::cusolverEigMode_t>) {
    let is_lower = fill == solver::cublasFillMode_t::CUBLAS_FILL_MODE_LOWER;
    if !is_lower || mode.is_some_and(|mode| mode != solver::cusolverEigMode_t::CUSOLVER_EIG_MODE_VECTOR) {
        forbidden!("the stand-in knows lower triangles alone, and vectors are asked for");
    }
}

export! { solver;
    fn cusolverDnCreate(handle: *mut solver::cusolverDnHandle_t) -> cusolverStatus_t {
        *handle = make() as solver::cusolverDnHandle_t;
        Ok(())
    }
    fn cusolverDnDestroy(handle: solver::cusolverDnHandle_t) -> cusolverStatus_t {
        stream(handle as usize);
        handles().remove(&(handle as usize));
        Ok(())
    }
    fn cusolverDnSetStream(handle: solver::cusolverDnHandle_t, stream: solver::cudaStream_t) -> cusolverStatus_t {
        handles().insert(handle as usize, (current(), stream as usize));
        Ok(())
    }
    fn cusolverDnCreateSyevjInfo(info: *mut solver::syevjInfo_t) -> cusolverStatus_t {
        *info = make() as solver::syevjInfo_t;
        Ok(())
    }
    fn cusolverDnDestroySyevjInfo(info: solver::syevjInfo_t) -> cusolverStatus_t {
        handles().remove(&(info as usize));
        Ok(())
    }
    fn cusolverDnCreateGesvdjInfo(info: *mut solver::gesvdjInfo_t) -> cusolverStatus_t {
        *info = make() as solver::gesvdjInfo_t;
        Ok(())
    }
    fn cusolverDnDestroyGesvdjInfo(info: solver::gesvdjInfo_t) -> cusolverStatus_t {
        handles().remove(&(info as usize));
        Ok(())
    }
}

routine! { solver cusolverStatus_t: cusolverDnSpotrf_bufferSize cusolverDnDpotrf_bufferSize cusolverDnCpotrf_bufferSize cusolverDnZpotrf_bufferSize;
    (handle: solver, uplo: fill, n: int, a: matrix, lda: int, size: ints) {
        lower(uplo, None);
        stream(handle as usize);
        check::<T>(Columns { at: a as usize, line: lda }, n, n);
        *size = n;
    }
}
routine! { solver cusolverStatus_t: cusolverDnSpotrf cusolverDnDpotrf cusolverDnCpotrf cusolverDnZpotrf;
    (handle: solver, uplo: fill, n: int, a: matrix, lda: int, space: matrix, size: int, info: ints) {
        let (a, info) = (Columns { at: a as usize, line: lda }, info as usize);
        lower(uplo, None);
        check::<T>(a, n, n);
        check_space::<T>(space as usize, size, n);
        check_row::<c_int>(info, 1);
        queue(handle, move || {
            let mut matrix = a.read::<T>(n, n);
            let found = dense::cholesky(&mut matrix);
            a.write_where(&matrix, |i, j| i >= j);
            put(info, &[found]);
        });
    }
}
routine! { solver cusolverStatus_t: cusolverDnSpotrfBatched cusolverDnDpotrfBatched cusolverDnCpotrfBatched cusolverDnZpotrfBatched;
    (handle: solver, uplo: fill, n: int, all: batch_mut, lda: int, info: ints, batch: int) {
        let (all, info) = (Columns { at: all as usize, line: lda }, info as usize);
        lower(uplo, None);
        check_row::<u64>(all.at, batch);
        check_row::<c_int>(info, batch);
        queue(handle, move || for item in 0..batch as usize {
            let a = all.of_batch(item);
            let mut matrix = a.read::<T>(n, n);
            let found = dense::cholesky(&mut matrix);
            a.write_where(&matrix, |i, j| i >= j);
            put(info + item * 4, &[found]);
        });
    }
}
routine! { solver cusolverStatus_t: cusolverDnSgetrf_bufferSize cusolverDnDgetrf_bufferSize cusolverDnCgetrf_bufferSize cusolverDnZgetrf_bufferSize;
    (handle: solver, m: int, n: int, a: matrix, lda: int, size: ints) {
        stream(handle as usize);
        check::<T>(Columns { at: a as usize, line: lda }, m, n);
        *size = m + n;
    }
}
routine! { solver cusolverStatus_t: cusolverDnSgetrf cusolverDnDgetrf cusolverDnCgetrf cusolverDnZgetrf;
    (handle: solver, m: int, n: int, a: matrix, lda: int, space: matrix, pivots: ints, info: ints) {
        let (a, pivots, info) = (Columns { at: a as usize, line: lda }, pivots as usize, info as usize);
        check::<T>(a, m, n);
        check_space::<T>(space as usize, m + n, m + n);
        check_row::<c_int>(pivots, m.min(n));
        check_row::<c_int>(info, 1);
        queue(handle, move || {
            let mut matrix = a.read::<T>(m, n);
            let (found, zero) = dense::eliminate(&mut matrix);
            a.write(&matrix);
            put(pivots, &found);
            put(info, &[zero]);
        });
    }
}
routine! { solver cusolverStatus_t: cusolverDnSgetrs cusolverDnDgetrs cusolverDnCgetrs cusolverDnZgetrs;
    (handle: solver, trans: turn, n: int, columns: int, a: read, lda: int, pivots: read_ints, b: matrix, ldb: int, info: ints) {
        let (a, b) = (Columns { at: a as usize, line: lda }, Columns { at: b as usize, line: ldb });
        let (pivots, info) = (pivots as usize, info as usize);
        if trans != solver::cublasOperation_t::CUBLAS_OP_N {
            forbidden!("the stand-in solves by matrices that are not turned");
        }
        check::<T>(a, n, n);
        check::<T>(b, n, columns);
        check_row::<c_int>(pivots, n);
        check_row::<c_int>(info, 1);
        queue(handle, move || {
            let mut sides = b.read::<T>(n, columns);
            dense::solve(&a.read::<T>(n, n), &numbers(pivots, n), &mut sides);
            b.write(&sides);
            put(info, &[0]);
        });
    }
}
routine! { solver cusolverStatus_t: cusolverDnSgeqrf_bufferSize cusolverDnDgeqrf_bufferSize cusolverDnCgeqrf_bufferSize cusolverDnZgeqrf_bufferSize;
    (handle: solver, m: int, n: int, a: matrix, lda: int, size: ints) {
        stream(handle as usize);
        check::<T>(Columns { at: a as usize, line: lda }, m, n);
        *size = 2 * n;
    }
}
routine! { solver cusolverStatus_t: cusolverDnSgeqrf cusolverDnDgeqrf cusolverDnCgeqrf cusolverDnZgeqrf;
    (handle: solver, m: int, n: int, a: matrix, lda: int, tau: matrix, space: matrix, size: int, info: ints) {
        let (a, tau, info) = (Columns { at: a as usize, line: lda }, tau as usize, info as usize);
        check::<T>(a, m, n);
        check_row::<T>(tau, m.min(n));
        check_space::<T>(space as usize, size, 2 * n);
        check_row::<c_int>(info, 1);
        queue(handle, move || {
            let mut matrix = a.read::<T>(m, n);
            put(tau, &dense::reflect(&mut matrix));
            a.write(&matrix);
            put(info, &[0]);
        });
    }
}
routine! { solver cusolverStatus_t: cusolverDnSorgqr_bufferSize cusolverDnDorgqr_bufferSize cusolverDnCungqr_bufferSize cusolverDnZungqr_bufferSize;
    (handle: solver, m: int, n: int, k: int, a: read, lda: int, tau: read, size: ints) {
        stream(handle as usize);
        check::<T>(Columns { at: a as usize, line: lda }, m, n);
        check_row::<T>(tau as usize, k);
        *size = 3 * n;
    }
}
routine! { solver cusolverStatus_t: cusolverDnSorgqr cusolverDnDorgqr cusolverDnCungqr cusolverDnZungqr;
    (handle: solver, m: int, n: int, k: int, a: matrix, lda: int, tau: read, space: matrix, size: int, info: ints) {
        let (a, tau, info) = (Columns { at: a as usize, line: lda }, tau as usize, info as usize);
        if n > m || k > n {
            return Err(cusolverStatus_t::CUSOLVER_STATUS_INVALID_VALUE);
        }
        check::<T>(a, m, n);
        check_row::<T>(tau, k);
        check_space::<T>(space as usize, size, 3 * n);
        check_row::<c_int>(info, 1);
        queue(handle, move || {
            a.write(&dense::product(&a.read::<T>(m, n), &numbers::<T>(tau, k)));
            put(info, &[0]);
        });
    }
}
routine! { solver cusolverStatus_t: cusolverDnSsyevd_bufferSize cusolverDnDsyevd_bufferSize cusolverDnCheevd_bufferSize cusolverDnZheevd_bufferSize;
    (handle: solver, job: mode, uplo: fill, n: int, a: read, lda: int, w: read_rows, size: ints) {
        stream(handle as usize);
        lower(uplo, Some(job));
        check::<T>(Columns { at: a as usize, line: lda }, n, n);
        check_row::<R>(w as usize, n);
        *size = n * n + 1;
    }
}
routine! { solver cusolverStatus_t: cusolverDnSsyevd cusolverDnDsyevd cusolverDnCheevd cusolverDnZheevd;
    (handle: solver, job: mode, uplo: fill, n: int, a: matrix, lda: int, w: rows, space: matrix, size: int, info: ints) {
        let (a, w, info) = (Columns { at: a as usize, line: lda }, w as usize, info as usize);
        lower(uplo, Some(job));
        check::<T>(a, n, n);
        check_row::<R>(w, n);
        check_space::<T>(space as usize, size, n * n + 1);
        check_row::<c_int>(info, 1);
        queue(handle, move || {
            let (values, vectors) = dense::eigenvectors(&a.read::<T>(n, n));
            a.write(&vectors);
            put(w, &values);
            put(info, &[0]);
        });
    }
}
routine! { solver cusolverStatus_t: cusolverDnSsyevjBatched_bufferSize cusolverDnDsyevjBatched_bufferSize cusolverDnCheevjBatched_bufferSize cusolverDnZheevjBatched_bufferSize;
    (handle: solver, job: mode, uplo: fill, n: int, a: read, lda: int, w: read_rows, size: ints, how: eigen, batch: int) {
        stream(handle as usize);
        stream(how as usize);
        lower(uplo, Some(job));
        check::<T>(Columns { at: a as usize, line: lda }, n, n * batch);
        check_row::<R>(w as usize, n * batch);
        *size = n * batch + 2;
    }
}
routine! { solver cusolverStatus_t: cusolverDnSsyevjBatched cusolverDnDsyevjBatched cusolverDnCheevjBatched cusolverDnZheevjBatched;
    (handle: solver, job: mode, uplo: fill, n: int, a: matrix, lda: int, w: rows, space: matrix, size: int, info: ints, how: eigen, batch: int) {
        let (all, w, info) = (Columns { at: a as usize, line: lda }, w as usize, info as usize);
        stream(how as usize);
        lower(uplo, Some(job));
        check::<T>(all, n, n * batch);
        check_row::<R>(w, n * batch);
        check_space::<T>(space as usize, size, n * batch + 2);
        check_row::<c_int>(info, batch);
        queue(handle, move || for item in 0..batch as usize {
            let a = all.behind::<T>(n, item);
            let (values, vectors) = dense::eigenvectors(&a.read::<T>(n, n));
            a.write(&vectors);
            put(w + item * n as usize * size_of::<R>(), &values);
            put(info + item * 4, &[0]);
        });
    }
}
routine! { solver cusolverStatus_t: cusolverDnSgesvd_bufferSize cusolverDnDgesvd_bufferSize cusolverDnCgesvd_bufferSize cusolverDnZgesvd_bufferSize;
    (handle: solver, m: int, n: int, size: ints) {
        stream(handle as usize);
        *size = m + n;
    }
}
routine! { solver cusolverStatus_t: cusolverDnSgesvd cusolverDnDgesvd cusolverDnCgesvd cusolverDnZgesvd;
    (handle: solver, job_u: job, job_vt: job, m: int, n: int, a: matrix, lda: int, s: rows, u: matrix, ldu: int, vt: matrix, ldvt: int, space: matrix, size: int, rest: rows, info: ints) {
        let [a, u, vt] = [(a, lda), (u, ldu), (vt, ldvt)].map(|(at, line)| Columns { at: at as usize, line });
        let (s, info, is_full) = (s as usize, info as usize, job_u == b'A' as c_schar);
        if m < n || job_u != job_vt || !(is_full || job_u == b'S' as c_schar) {
            return Err(cusolverStatus_t::CUSOLVER_STATUS_INVALID_VALUE);
        }
        check::<T>(a, m, n);
        check::<T>(u, m, if is_full { m } else { n });
        check::<T>(vt, n, n);
        check_row::<R>(s, n);
        check_space::<T>(space as usize, size, m + n);
        check_row::<c_int>(info, 1);
        if !rest.is_null() {
            check_row::<R>(rest as usize, n - 1);
        }
        queue(handle, move || {
            let (values, left, right) = dense::singular(a.read::<T>(m, n), is_full);
            put(s, &values);
            u.write(&left);
            vt.write(&right);
            put(info, &[0]);
        });
    }
}
routine! { solver cusolverStatus_t: cusolverDnSgesvdjBatched_bufferSize cusolverDnDgesvdjBatched_bufferSize cusolverDnCgesvdjBatched_bufferSize cusolverDnZgesvdjBatched_bufferSize;
    (handle: solver, job: mode, m: int, n: int, a: read, lda: int, s: read_rows, u: read, ldu: int, v: read, ldv: int, size: ints, how: values, batch: int) {
        stream(handle as usize);
        stream(how as usize);
        lower(solver::cublasFillMode_t::CUBLAS_FILL_MODE_LOWER, Some(job));
        if m > JACOBI || n > JACOBI {
            return Err(cusolverStatus_t::CUSOLVER_STATUS_INVALID_VALUE);
        }
        for (at, line, rows) in [(a, lda, m), (u, ldu, m), (v, ldv, n)] {
            check::<T>(Columns { at: at as usize, line }, rows, if at == a { n } else { rows } * batch);
        }
        check_row::<R>(s as usize, m.min(n) * batch);
        *size = m + n * batch;
    }
}
routine! { solver cusolverStatus_t: cusolverDnSgesvdjBatched cusolverDnDgesvdjBatched cusolverDnCgesvdjBatched cusolverDnZgesvdjBatched;
    (handle: solver, job: mode, m: int, n: int, a: matrix, lda: int, s: rows, u: matrix, ldu: int, v: matrix, ldv: int, space: matrix, size: int, info: ints, how: values, batch: int) {
        let [all, u, v] = [(a, lda), (u, ldu), (v, ldv)].map(|(at, line)| Columns { at: at as usize, line });
        let (s, info) = (s as usize, info as usize);
        stream(how as usize);
        lower(solver::cublasFillMode_t::CUBLAS_FILL_MODE_LOWER, Some(job));
        if m > JACOBI || n > JACOBI {
            return Err(cusolverStatus_t::CUSOLVER_STATUS_INVALID_VALUE);
        }
        check::<T>(all, m, n * batch);
        check::<T>(u, m, m * batch);
        check::<T>(v, n, n * batch);
        check_row::<R>(s, m.min(n) * batch);
        check_space::<T>(space as usize, size, m + n * batch);
        check_row::<c_int>(info, batch);
        queue(handle, move || for item in 0..batch as usize {
            let (values, left, right) = dense::singular(all.behind::<T>(n, item).read::<T>(m, n), true);
            put(s + item * m.min(n) as usize * size_of::<R>(), &values);
            u.behind::<T>(m, item).write(&left);
            v.behind::<T>(n, item).write(&right.adjoint());
            put(info + item * 4, &[0]);
        });
    }
}
