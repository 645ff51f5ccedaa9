//! cuBLAS: products, triangles and batches of small matrices, stored by columns.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_longlong, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cudarc::cublas::sys::{
    self, cublasComputeType_t as Compute, cublasGemmAlgo_t, cublasHandle_t, cublasOperation_t as Op, cublasStatus_t as Status,
    cudaDataType as Type, cudaStream_t,
};
use cudarc::driver::sys::CUstream;
use num_complex::Complex;

use crate::dense::Number;
use crate::driver::current;
use crate::streams::{self, Work};
use crate::{export, forbidden, memory};

const VERSION: c_int = 130_000;

#[derive(Clone, Copy)]
struct Handle {
    device: usize,
    stream: usize,
    /// Whether it works in memory that it was given: a new stream has it forget that.
    has_space: bool,
}

static HANDLES: Mutex<BTreeMap<usize, Handle>> = Mutex::new(BTreeMap::new());

fn handles() -> MutexGuard<'static, BTreeMap<usize, Handle>> {
    HANDLES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Handles that there are.
pub(crate) fn count() -> usize {
    handles().len()
}

pub(crate) fn reset() {
    handles().clear();
}

fn change(handle: cublasHandle_t, change: impl FnOnce(&mut Handle)) -> Handle {
    match handles().get_mut(&(handle as usize)) {
        Some(found) if found.device == current() => {
            change(found);
            *found
        }
        _ => forbidden!("there is no cuBLAS {handle:?} on device {}", current()),
    }
}

/// Queues what the library does.
pub(crate) fn queue(handle: cublasHandle_t, work: impl Fn() + Send + Sync + 'static) {
    let Handle { stream, has_space, .. } = change(handle, |_| ());
    let stream = stream as CUstream;
    if !has_space && streams::is_captured(stream) {
        forbidden!("cuBLAS would allocate memory in a stream that captures");
    }
    streams::queue(
        stream,
        Work::new(move || {
            work();
            Ok(())
        }),
    );
}

/// A product of matrices: everything but where they lie.
#[derive(Clone, Copy, Debug)]
struct Product {
    turns: [Op; 2],
    sizes: [c_int; 3],
    lines: [c_int; 3],
    steps: [c_longlong; 3],
    batch: c_int,
}

impl Product {
    /// What the library refuses.
    fn is_wrong(&self) -> bool {
        let ([m, n, k], [a, b]) = (self.sizes, self.turns);
        let rows = [if a == Op::CUBLAS_OP_N { m } else { k }, if b == Op::CUBLAS_OP_N { k } else { n }, m];
        self.sizes.iter().any(|&size| size < 0)
            || self.batch < 0
            || self.lines.iter().zip(rows).any(|(&line, rows)| line < rows.max(1))
    }

    /// Ends the program where a matrix is not on the device.
    fn check<T>(&self, at: [usize; 3]) {
        let [m, n, k] = self.sizes.map(|size| size as usize);
        let stored = [(self.turns[0], m, k), (self.turns[1], k, n), (Op::CUBLAS_OP_N, m, n)];
        for (place, (turn, rows, columns)) in stored.into_iter().enumerate() {
            let (rows, columns) = if turn == Op::CUBLAS_OP_N { (rows, columns) } else { (columns, rows) };
            if rows * columns * self.batch as usize > 0 {
                let last =
                    (self.batch as i64 - 1) * self.steps[place] + ((columns - 1) * self.lines[place] as usize + rows) as i64;
                memory::check("cublasGemmStridedBatchedEx", at[place] as u64, last as usize * size_of::<T>());
            }
        }
    }

    /// # Safety
    /// The matrices are there, of this type.
    unsafe fn run<T: Number>(&self, [a, b, c]: [usize; 3], [alpha, beta]: [T; 2]) {
        let [m, n, k] = self.sizes.map(|size| size as usize);
        // SAFETY: the caller's promise.
        let at = |which: usize, start: usize, turn: Op, item: usize, row: usize, column: usize| unsafe {
            let (row, column) = if turn == Op::CUBLAS_OP_N { (row, column) } else { (column, row) };
            let place = item as isize * self.steps[which] as isize + (column * self.lines[which] as usize + row) as isize;
            (start as *mut T).offset(place)
        };
        // SAFETY: as above.
        let read = |which: usize, start: usize, item: usize, row: usize, column: usize| unsafe {
            let value = *at(which, start, self.turns[which], item, row, column);
            if self.turns[which] == Op::CUBLAS_OP_C { value.conjugate() } else { value }
        };
        for item in 0..self.batch as usize {
            for (column, row) in (0..n).flat_map(|column| (0..m).map(move |row| (column, row))) {
                let sum = (0..k).fold(T::zero(), |sum, l| sum + read(0, a, item, row, l) * read(1, b, item, l, column));
                let place = at(2, c, Op::CUBLAS_OP_N, item, row, column);
                // SAFETY: as above. Where beta is zero C is not read.
                unsafe { *place = alpha * sum + if beta == T::zero() { T::zero() } else { beta * *place } };
            }
        }
    }
}

/// # Safety
/// Numbers are of this type, and those of the host are there.
unsafe fn multiply<T: Number>(handle: cublasHandle_t, product: Product, at: [usize; 3], numbers: [*const c_void; 2]) {
    product.check::<T>(at);
    // SAFETY: the caller's promise.
    let numbers = unsafe { numbers.map(|number| *number.cast::<T>()) };
    // SAFETY: the matrices are the device's, and go back behind this.
    queue(handle, move || unsafe { product.run::<T>(at, numbers) });
}

export! { sys;
    fn cublasCreate_v2(handle: *mut cublasHandle_t) -> Status {
        let mut handles = handles();
        let number = handles.keys().next_back().map_or(1, |last| last + 1);
        handles.insert(number, Handle { device: current(), stream: 0, has_space: false });
        *handle = number as cublasHandle_t;
        Ok(())
    }
    fn cublasDestroy_v2(handle: cublasHandle_t) -> Status {
        change(handle, |_| ());
        handles().remove(&(handle as usize));
        Ok(())
    }
    fn cublasSetStream_v2(handle: cublasHandle_t, stream: cudaStream_t) -> Status {
        change(handle, |handle| (handle.stream, handle.has_space) = (stream as usize, false));
        Ok(())
    }
    fn cublasSetWorkspace_v2(handle: cublasHandle_t, space: *mut c_void, bytes: usize) -> Status {
        memory::check("cublasSetWorkspace", space as u64, bytes);
        change(handle, |handle| handle.has_space = true);
        Ok(())
    }
    fn cublasGetVersion_v2(handle: cublasHandle_t, version: *mut c_int) -> Status {
        change(handle, |_| ());
        *version = VERSION;
        Ok(())
    }
    fn cublasGemmStridedBatchedEx(
        handle: cublasHandle_t,
        transa: Op,
        transb: Op,
        m: c_int,
        n: c_int,
        k: c_int,
        alpha: *const c_void,
        a: *const c_void,
        type_a: Type,
        lda: c_int,
        step_a: c_longlong,
        b: *const c_void,
        type_b: Type,
        ldb: c_int,
        step_b: c_longlong,
        beta: *const c_void,
        c: *mut c_void,
        type_c: Type,
        ldc: c_int,
        step_c: c_longlong,
        batch: c_int,
        compute: Compute,
        algorithm: cublasGemmAlgo_t,
    ) -> Status {
        let (lines, steps) = ([lda, ldb, ldc], [step_a, step_b, step_c]);
        let product = Product { turns: [transa, transb], sizes: [m, n, k], lines, steps, batch };
        if product.is_wrong() || type_a != type_b || type_a != type_c || algorithm != cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT {
            return Err(Status::CUBLAS_STATUS_INVALID_VALUE);
        }
        let (at, numbers) = ([a as usize, b as usize, c as usize], [alpha, beta]);
        let is_single = matches!(compute, Compute::CUBLAS_COMPUTE_32F | Compute::CUBLAS_COMPUTE_32F_FAST_TF32);
        match (type_a, is_single, compute) {
            (Type::CUDA_R_32F, true, _) => multiply::<f32>(handle, product, at, numbers),
            (Type::CUDA_C_32F, true, _) => multiply::<Complex<f32>>(handle, product, at, numbers),
            (Type::CUDA_R_64F, _, Compute::CUBLAS_COMPUTE_64F) => multiply::<f64>(handle, product, at, numbers),
            (Type::CUDA_C_64F, _, Compute::CUBLAS_COMPUTE_64F) => multiply::<Complex<f64>>(handle, product, at, numbers),
            _ => return Err(Status::CUBLAS_STATUS_NOT_SUPPORTED),
        }
        Ok(())
    }
}
