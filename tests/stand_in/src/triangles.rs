//! Of cuBLAS what solves: triangles, and batches of small systems.

use std::ffi::c_int;

use cudarc::cublas::sys::{self as blas, cublasStatus_t};
use num_complex::Complex;

use crate::dense::{self, Columns, Divisor};
use crate::products;
use crate::routine::{check, check_row, kind, numbers, put, routine};
use crate::{export, forbidden};

/// How a triangle divides, of cuBLAS's words.
fn divisor(
    side: blas::cublasSideMode_t,
    fill: blas::cublasFillMode_t,
    turn: blas::cublasOperation_t,
    diagonal: blas::cublasDiagType_t,
) -> Divisor {
    Divisor {
        from_right: side == blas::cublasSideMode_t::CUBLAS_SIDE_RIGHT,
        upper: fill == blas::cublasFillMode_t::CUBLAS_FILL_MODE_UPPER,
        transposed: turn != blas::cublasOperation_t::CUBLAS_OP_N,
        conjugated: turn == blas::cublasOperation_t::CUBLAS_OP_C,
        unit: diagonal == blas::cublasDiagType_t::CUBLAS_DIAG_UNIT,
    }
}

routine! { blas cublasStatus_t: cublasStrsm_v2 cublasDtrsm_v2 cublasCtrsm_v2 cublasZtrsm_v2;
    (handle: blas, side: blas_side, fill: blas_fill, turn: blas_turn, diagonal: blas_diagonal, m: int, n: int, alpha: read, a: read, lda: int, b: matrix, ldb: int) {
        let (a, b, by) = (Columns { at: a as usize, line: lda }, Columns { at: b as usize, line: ldb }, divisor(side, fill, turn, diagonal));
        let order = if by.from_right { n } else { m };
        check::<T>(a, order, order);
        check::<T>(b, m, n);
        let alpha = *alpha.cast::<T>();
        products::queue(handle, move || {
            let mut sides = b.read::<T>(m, n) * alpha;
            dense::divide(by, &a.read::<T>(order, order), &mut sides);
            b.write(&sides);
        });
    }
}
routine! { blas cublasStatus_t: cublasStrsmBatched cublasDtrsmBatched cublasCtrsmBatched cublasZtrsmBatched;
    (handle: blas, side: blas_side, fill: blas_fill, turn: blas_turn, diagonal: blas_diagonal, m: int, n: int, alpha: read, a: batch_read, lda: int, b: batch, ldb: int, batch: int) {
        let (a, b, by) = (Columns { at: a as usize, line: lda }, Columns { at: b as usize, line: ldb }, divisor(side, fill, turn, diagonal));
        let order = if by.from_right { n } else { m };
        check_row::<u64>(a.at, batch);
        check_row::<u64>(b.at, batch);
        let alpha = *alpha.cast::<T>();
        products::queue(handle, move || for item in 0..batch as usize {
            let (a, b) = (a.of_batch(item), b.of_batch(item));
            let mut sides = b.read::<T>(m, n) * alpha;
            dense::divide(by, &a.read::<T>(order, order), &mut sides);
            b.write(&sides);
        });
    }
}
routine! { blas cublasStatus_t: cublasSgetrfBatched cublasDgetrfBatched cublasCgetrfBatched cublasZgetrfBatched;
    (handle: blas, n: int, all: batch, lda: int, pivots: ints, info: ints, batch: int) {
        let (all, pivots, info) = (Columns { at: all as usize, line: lda }, pivots as usize, info as usize);
        check_row::<u64>(all.at, batch);
        check_row::<c_int>(pivots, n * batch);
        check_row::<c_int>(info, batch);
        products::queue(handle, move || for item in 0..batch as usize {
            let a = all.of_batch(item);
            let mut matrix = a.read::<T>(n, n);
            let (found, zero) = dense::eliminate(&mut matrix);
            a.write(&matrix);
            put(pivots + item * n as usize * 4, &found);
            put(info + item * 4, &[zero]);
        });
    }
}
routine! { blas cublasStatus_t: cublasSgetrsBatched cublasDgetrsBatched cublasCgetrsBatched cublasZgetrsBatched;
    (handle: blas, turn: blas_turn, n: int, columns: int, a: batch_read, lda: int, pivots: read_ints, b: batch, ldb: int, info: ints, batch: int) {
        let (a, b, pivots) = (Columns { at: a as usize, line: lda }, Columns { at: b as usize, line: ldb }, pivots as usize);
        // The host's, at once: which argument is wrong.
        *info = 0;
        if turn != blas::cublasOperation_t::CUBLAS_OP_N {
            forbidden!("the stand-in solves by matrices that are not turned");
        }
        check_row::<u64>(a.at, batch);
        check_row::<u64>(b.at, batch);
        check_row::<c_int>(pivots, n * batch);
        products::queue(handle, move || for item in 0..batch as usize {
            let (a, b) = (a.of_batch(item), b.of_batch(item));
            let mut sides = b.read::<T>(n, columns);
            dense::solve(&a.read::<T>(n, n), &numbers(pivots + item * n as usize * 4, n), &mut sides);
            b.write(&sides);
        });
    }
}
