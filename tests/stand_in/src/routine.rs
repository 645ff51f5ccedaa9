//! Routines of linear algebra: one body under the names of four element types, and what every body asks of its arguments.

use std::ffi::c_int;

use crate::dense::{Columns, Number};
use crate::{forbidden, memory};

/// Ends the program where a matrix is not on the device.
pub(crate) fn check<T>(a: Columns, rows: c_int, columns: c_int) {
    if a.line < rows.max(1) || rows < 0 || columns < 0 {
        forbidden!("a matrix of {rows} rows and {columns} columns with the stride {}", a.line);
    }
    if rows * columns > 0 {
        memory::check(
            "a routine's matrix",
            a.at as u64,
            ((columns - 1) as usize * a.line as usize + rows as usize) * size_of::<T>(),
        );
    }
}

/// The same of numbers one behind the other.
pub(crate) fn check_row<V>(at: usize, count: c_int) {
    memory::check("a routine's numbers", at as u64, count.max(1) as usize * size_of::<V>());
}

/// Work space is as large as was told, and what was in it is gone.
pub(crate) fn check_space<T: Number>(at: usize, elements: c_int, told: c_int) {
    if elements < told {
        forbidden!("a work space of {elements} elements, where {told} were asked for");
    }
    check_row::<T>(at, elements);
}

/// Writes numbers one behind the other.
///
/// # Safety
/// There is memory for them.
pub(crate) unsafe fn put<V: Copy>(at: usize, values: &[V]) {
    // SAFETY: the caller's promise.
    unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), at as *mut V, values.len()) }
}

/// # Safety
/// They are there.
pub(crate) unsafe fn numbers<V: Copy>(at: usize, count: c_int) -> Vec<V> {
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(at as *const V, count as usize) }.to_vec()
}

/// The type of an argument of a routine, by what it is.
macro_rules! kind {
    (int, $raw:ty, $real:ty) => { c_int };
    (job, $raw:ty, $real:ty) => { c_schar };
    (matrix, $raw:ty, $real:ty) => { *mut $raw };
    (read, $raw:ty, $real:ty) => { *const $raw };
    (rows, $raw:ty, $real:ty) => { *mut $real };
    (read_rows, $raw:ty, $real:ty) => { *const $real };
    (ints, $raw:ty, $real:ty) => { *mut c_int };
    (read_ints, $raw:ty, $real:ty) => { *const c_int };
    (batch_mut, $raw:ty, $real:ty) => { *mut *mut $raw };
    (batch, $raw:ty, $real:ty) => { *const *mut $raw };
    (batch_read, $raw:ty, $real:ty) => { *const *const $raw };
    (solver, $raw:ty, $real:ty) => { solver::cusolverDnHandle_t };
    (blas, $raw:ty, $real:ty) => { blas::cublasHandle_t };
    (mode, $raw:ty, $real:ty) => { solver::cusolverEigMode_t };
    (fill, $raw:ty, $real:ty) => { solver::cublasFillMode_t };
    (turn, $raw:ty, $real:ty) => { solver::cublasOperation_t };
    (eigen, $raw:ty, $real:ty) => { solver::syevjInfo_t };
    (values, $raw:ty, $real:ty) => { solver::gesvdjInfo_t };
    (blas_side, $raw:ty, $real:ty) => { blas::cublasSideMode_t };
    (blas_fill, $raw:ty, $real:ty) => { blas::cublasFillMode_t };
    (blas_turn, $raw:ty, $real:ty) => { blas::cublasOperation_t };
    (blas_diagonal, $raw:ty, $real:ty) => { blas::cublasDiagType_t };
}

/// One routine under the names of its four element types, which its body calls `T`, and their real numbers `R`.
macro_rules! routine {
    ($library:ident $status:ident: $single:ident $double:ident $complex:ident $double_complex:ident; $arguments:tt $body:block) => {
        routine! { @one $library $status $single f32 f32 f32 $arguments $body }
        routine! { @one $library $status $double f64 f64 f64 $arguments $body }
        routine! { @one $library $status $complex Complex<f32> | $library::cuComplex, f32 $arguments $body }
        routine! { @one $library $status $double_complex Complex<f64> | $library::cuDoubleComplex, f64 $arguments $body }
    };
    (@one $library:ident $status:ident $name:ident $number:ident $raw:ident $real:ident $arguments:tt $body:block) => {
        routine! { @fn $library $status $name [$number] [$raw] [$real] $arguments $body }
    };
    (@one $library:ident $status:ident $name:ident $number:ty | $raw:ty, $real:ident $arguments:tt $body:block) => {
        routine! { @fn $library $status $name [$number] [$raw] [$real] $arguments $body }
    };
    (@fn $library:ident $status:ident $name:ident [$number:ty] [$raw:ty] [$real:ty] ($($argument:ident: $kind:ident),* $(,)?) $body:block) => {
        export! { $library;
            fn $name($($argument: kind!($kind, $raw, $real)),*) -> $status {
                #[allow(dead_code)]
                type T = $number;
                #[allow(dead_code)]
                type R = $real;
                $body
                Ok(())
            }
        }
    };
}
pub(crate) use {kind, routine};
