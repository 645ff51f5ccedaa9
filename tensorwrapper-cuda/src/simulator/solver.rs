//! Linear algebra with the arguments of cuSOLVER and cuBLAS and the meaning that the manuals give them. Arguments that the
//! libraries would refuse are refused here, too. What the manuals leave open (phases, signs, the elements outside of triangles)
//! is made as different as possible from the conventions of this project, so that tests notice code that relies on it.

use num_complex::Complex;

use crate::memory::Address;
use crate::routine::{Call, Divisor, MAX_BATCHED_COLUMNS, MAX_JACOBI_BATCH, MAX_JACOBI_ORDER, MatrixRef, Routine};
use tensorwrapper_core::backend::linear::{Algorithms, Failure, Matrix};
use tensorwrapper_core::backend::reference::Naive;
use tensorwrapper_core::element::{Element, dispatch};
use tensorwrapper_core::error::{Error, ErrorKind};

/// Runs a routine on the host's memory.
///
/// # Errors
/// [`ErrorKind::Device`] for arguments that a library refuses.
///
/// # Safety
/// There is memory for all elements that the arguments describe.
pub(super) unsafe fn solve(call: &Call) -> Result<(), Error> {
    if let Some(what) = refused(&call.routine) {
        return Err(Error::new(ErrorKind::Device(format!("{what} in {call:?}"))));
    }
    // SAFETY: the caller's promise.
    dispatch!(call.dtype, T => unsafe { routine::<T>(&call.routine) });
    Ok(())
}

/// The bytes of work space that the routine would need.
pub(super) fn space(call: &Call) -> usize {
    let elements = match call.routine {
        Routine::SyevjBatched { n, batch, .. } | Routine::GesvdjBatched { n, batch, .. } => n * n * batch,
        Routine::Potrf { n, .. } | Routine::Getrf { n, .. } | Routine::Geqrf { n, .. } | Routine::Orgqr { n, .. } => n,
        Routine::Syevd { n, .. } | Routine::Gesvd { n, .. } => n * n,
        _ => 0,
    };
    elements.unsigned_abs().max(1) as usize * call.dtype.size()
}

/// The first number that does not fit into 32 bits.
const COUNTED: i128 = 1 << 31;

/// Whether a routine is beyond the internal counts of a library.
fn is_beyond_counts(routine: &Routine) -> bool {
    let square = |n: i32| i128::from(n) * i128::from(n);
    match *routine {
        Routine::Gesvd { m, n, .. } => square(m).max(6 * i128::from(m) * i128::from(n)) >= COUNTED,
        Routine::Syevd { n, .. } => 4 * square(n) >= COUNTED,
        Routine::SyevjBatched { batch, .. } | Routine::GesvdjBatched { batch, .. } => batch as usize > MAX_JACOBI_BATCH,
        Routine::TrsmBatched { by, m, n, .. } => (if by.from_right { m } else { n }) as usize > MAX_BATCHED_COLUMNS,
        Routine::GetrsBatched { columns, .. } => columns as usize > MAX_BATCHED_COLUMNS,
        _ => false,
    }
}

/// Why a library would refuse a routine.
fn refused(routine: &Routine) -> Option<&'static str> {
    if is_beyond_counts(routine) {
        return Some("more than 32 bits count");
    }
    // Matrices with their rows, sizes and batches, and the addresses of everything else.
    let (matrices, sizes, others): (Vec<(MatrixRef, i32)>, Vec<i32>, Vec<Address>) = match *routine {
        Routine::Potrf { n, a, info } => (vec![(a, n)], vec![n], vec![info]),
        Routine::PotrfBatched { n, a, info, batch } => (vec![(a, n)], vec![n, batch], vec![info]),
        Routine::Getrf { m, n, a, pivots, info } => (vec![(a, m)], vec![m, n], vec![pivots, info]),
        Routine::GetrfBatched { n, a, pivots, info, batch } => (vec![(a, n)], vec![n, batch], vec![pivots, info]),
        Routine::Getrs { n, columns, a, pivots, b, info } => (vec![(a, n), (b, n)], vec![n, columns], vec![pivots, info]),
        Routine::GetrsBatched { n, columns, a, pivots, b, batch } => {
            (vec![(a, n), (b, n)], vec![n, columns, batch], vec![pivots])
        }
        Routine::Trsm { by, m, n, a, b } => (vec![(a, if by.from_right { n } else { m }), (b, m)], vec![m, n], vec![]),
        Routine::TrsmBatched { by, m, n, a, b, batch } => {
            (vec![(a, if by.from_right { n } else { m }), (b, m)], vec![m, n, batch], vec![])
        }
        Routine::Geqrf { m, n, a, tau, info } => (vec![(a, m)], vec![m, n], vec![tau, info]),
        Routine::Orgqr { m, n, k, .. } if n > m || k > n => return Some("more columns than rows"),
        Routine::Orgqr { m, n, k, a, tau, info } => (vec![(a, m)], vec![m, n, k], vec![tau, info]),
        Routine::Syevd { n, a, values, info } => (vec![(a, n)], vec![n], vec![values, info]),
        Routine::SyevjBatched { n, a, values, info, batch } => (vec![(a, n)], vec![n, batch], vec![values, info]),
        Routine::Gesvd { m, n, .. } if m < n => return Some("more columns than rows"),
        Routine::Gesvd { m, n, a, values, u, vt, info, .. } => (vec![(a, m), (u, m), (vt, n)], vec![m, n], vec![values, info]),
        Routine::GesvdjBatched { m, n, .. } if m.max(n) > MAX_JACOBI_ORDER as i32 => return Some("more than 32 rows or columns"),
        Routine::GesvdjBatched { m, n, a, values, u, v, info, batch } => {
            (vec![(a, m), (u, m), (v, n)], vec![m, n, batch], vec![values, info])
        }
    };
    if sizes.iter().any(|&size| size <= 0) {
        return Some("a size that is not positive");
    }
    if matrices.iter().any(|(matrix, rows)| matrix.ld < *rows) {
        return Some("columns that overlap");
    }
    matrices.iter().map(|(matrix, _)| matrix.address).chain(others).any(|at| at == 0).then_some("no address")
}

/// Reads a matrix.
///
/// # Safety
/// There is a matrix of this element type.
unsafe fn read<T: Element>(a: MatrixRef, rows: i32, columns: i32) -> Matrix<T> {
    // SAFETY: the caller's promise.
    Matrix::from_fn(rows as usize, columns as usize, |i, j| unsafe { *(a.address as *const T).add(j * a.ld as usize + i) })
}

/// Writes the elements of a matrix that `which` selects.
///
/// # Safety
/// There is memory for the matrix.
unsafe fn write<T: Element>(matrix: &Matrix<T>, a: MatrixRef, which: impl Fn(usize, usize) -> bool) {
    for (j, i) in (0..matrix.columns).flat_map(|j| (0..matrix.rows).map(move |i| (j, i))).filter(|&(j, i)| which(i, j)) {
        // SAFETY: the caller's promise.
        unsafe { *(a.address as *mut T).add(j * a.ld as usize + i) = matrix.at(i, j) };
    }
}

/// A pointer to number n of a list.
///
/// # Safety
/// There are so many numbers of this type.
unsafe fn number<V: Copy>(at: Address, n: usize) -> *mut V {
    // SAFETY: the caller's promise.
    unsafe { (at as *mut V).add(n) }
}

/// Matrix n of a batch that is given as a list of addresses.
///
/// # Safety
/// There is a list of at least n + 1 addresses.
unsafe fn of_batch(a: MatrixRef, n: usize) -> MatrixRef {
    // SAFETY: the caller's promise.
    MatrixRef { address: unsafe { *number::<Address>(a.address, n) }, ..a }
}

/// Matrix n of matrices that lie one behind the other.
fn consecutive<T>(a: MatrixRef, columns: i32, n: usize) -> MatrixRef {
    MatrixRef { address: a.address + (n * a.ld as usize * columns as usize * size_of::<T>()) as u64, ..a }
}

/// # Safety
/// As for [`solve`], and the elements are of this type.
unsafe fn routine<T: Element>(routine: &Routine) {
    // SAFETY: the caller's promise.
    unsafe {
        match *routine {
            Routine::Potrf { n, a, info } => potrf::<T>(n, a, info),
            Routine::PotrfBatched { n, a, info, batch } => {
                (0..batch as usize).for_each(|item| {
                    potrf::<T>(n, of_batch(a, item), number::<i32>(info, item) as Address);
                    // The manual leaves open what the other triangle is.
                    let anything = Matrix::from_fn(n as usize, n as usize, |_, _| T::from_complex(f64::NAN.into()));
                    write(&anything, of_batch(a, item), |i, j| i < j);
                });
            }
            Routine::Getrf { m, n, a, pivots, info } => getrf::<T>((m, n), a, pivots, info),
            Routine::GetrfBatched { n, a, pivots, info, batch } => (0..batch as usize).for_each(|item| {
                let own = number::<i32>(pivots, item * n as usize) as Address;
                getrf::<T>((n, n), of_batch(a, item), own, number::<i32>(info, item) as Address);
            }),
            Routine::Getrs { n, columns, a, pivots, b, info } => {
                getrs::<T>((n, columns), a, pivots, b);
                *number::<i32>(info, 0) = 0;
            }
            Routine::GetrsBatched { n, columns, a, pivots, b, batch } => (0..batch as usize).for_each(|item| {
                let own = number::<i32>(pivots, item * n as usize) as Address;
                getrs::<T>((n, columns), of_batch(a, item), own, of_batch(b, item));
            }),
            Routine::Trsm { by, m, n, a, b } => trsm::<T>(by, (m, n), a, b),
            Routine::TrsmBatched { by, m, n, a, b, batch } => {
                (0..batch as usize).for_each(|item| trsm::<T>(by, (m, n), of_batch(a, item), of_batch(b, item)));
            }
            Routine::Geqrf { m, n, a, tau, info } => {
                geqrf::<T>((m, n), a, tau);
                *number::<i32>(info, 0) = 0;
            }
            Routine::Orgqr { m, n, k, a, tau, info } => {
                orgqr::<T>((m, n, k), a, tau);
                *number::<i32>(info, 0) = 0;
            }
            Routine::Syevd { n, a, values, info } => syev::<T>(n, a, values, info),
            Routine::SyevjBatched { n, a, values, info, batch } => (0..batch as usize).for_each(|item| {
                let values = number::<T::Real>(values, item * n as usize) as Address;
                syev::<T>(n, consecutive::<T>(a, n, item), values, number::<i32>(info, item) as Address);
            }),
            Routine::Gesvd { full, m, n, a, values, u, vt, info } => {
                if let Some((left, right)) = gesvd::<T>(full, (m, n), a, values, info) {
                    write(&left, u, |_, _| true);
                    write(&right, vt, |_, _| true);
                }
            }
            Routine::GesvdjBatched { m, n, a, values, u, v, info, batch } => (0..batch as usize).for_each(|item| {
                let values = number::<T::Real>(values, item * m.min(n) as usize) as Address;
                let info = number::<i32>(info, item) as Address;
                if let Some((left, right)) = gesvd::<T>(true, (m, n), consecutive::<T>(a, n, item), values, info) {
                    write(&left, consecutive::<T>(u, m, item), |_, _| true);
                    write(&right.adjoint(), consecutive::<T>(v, n, item), |_, _| true);
                }
            }),
        }
    }
}

/// # Safety
/// As for [`routine`].
unsafe fn potrf<T: Element>(n: i32, a: MatrixRef, info: Address) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut matrix = read::<T>(a, n, n);
        let said = match Naive.cholesky(&mut matrix) {
            Err(Failure::NotPositiveDefinite { pivot }) => pivot as i32 + 1,
            Ok(()) | Err(_) => 0,
        };
        write(&matrix, a, |i, j| i >= j);
        *number::<i32>(info, 0) = said;
    }
}

/// # Safety
/// As for [`routine`].
unsafe fn getrf<T: Element>((m, n): (i32, i32), a: MatrixRef, pivots: Address, info: Address) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut matrix = read::<T>(a, m, n);
        let before = matrix.clone();
        let order = if T::DTYPE.is_complex() { eliminated(&mut matrix) } else { Naive.lu(&mut matrix, &|| before.clone()) };
        // The order of rows, as one exchange for each column.
        let mut now: Vec<usize> = (0..m as usize).collect();
        for (k, &pivot) in order.iter().enumerate().take(m.min(n) as usize) {
            let place = now.iter().position(|&row| row == pivot).expect("an order has each row");
            now.swap(k, place);
            *number::<i32>(pivots, k) = place as i32 + 1;
        }
        let zero = (0..m.min(n) as usize).find(|&k| matrix.at(k, k) == T::ZERO);
        write(&matrix, a, |_, _| true);
        *number::<i32>(info, 0) = zero.map_or(0, |k| k as i32 + 1);
    }
}

/// The factors L and U of a complex matrix, and the order of its rows. Pivots are chosen as by LAPACK's `izamax`: by the sum of
/// the absolute values of their parts.
fn eliminated<T: Element>(matrix: &mut Matrix<T>) -> Vec<usize> {
    let (rows, columns) = (matrix.rows, matrix.columns);
    let mut order: Vec<usize> = (0..rows).collect();
    for k in 0..rows.min(columns) {
        let size = |row: usize| matrix.at(row, k).to_complex().l1_norm();
        let place = (k..rows).rev().max_by(|&i, &j| size(i).total_cmp(&size(j))).expect("a pivot is one of its rows");
        order.swap(k, place);
        (0..columns).for_each(|j| matrix.column_mut(j).swap(k, place));
        let pivot = matrix.at(k, k).to_complex();
        for i in (k + 1..rows).filter(|_| pivot != Complex::ZERO) {
            let factor = matrix.at(i, k).to_complex() / pivot;
            *matrix.at_mut(i, k) = T::from_complex(factor);
            for j in k + 1..columns {
                let left = matrix.at(i, j).to_complex() - factor * matrix.at(k, j).to_complex();
                *matrix.at_mut(i, j) = T::from_complex(left);
            }
        }
    }
    order
}

/// # Safety
/// As for [`routine`].
unsafe fn getrs<T: Element>((n, columns): (i32, i32), a: MatrixRef, pivots: Address, b: MatrixRef) {
    // SAFETY: the caller's promise.
    unsafe {
        let (factors, mut x) = (read::<T>(a, n, n), read::<T>(b, n, columns));
        for k in 0..n as usize {
            let other = *number::<i32>(pivots, k) as usize - 1;
            (0..x.columns).for_each(|column| x.column_mut(column).swap(k, other));
        }
        Naive.solve_triangular(&factors, false, true, &mut x);
        Naive.solve_triangular(&factors, true, false, &mut x);
        write(&x, b, |_, _| true);
    }
}

/// # Safety
/// As for [`routine`].
unsafe fn trsm<T: Element>(by: Divisor, (m, n): (i32, i32), a: MatrixRef, b: MatrixRef) {
    let order = if by.from_right { n } else { m };
    // SAFETY: the caller's promise.
    unsafe {
        let (mut triangle, mut x) = (read::<T>(a, order, order), read::<T>(b, m, n));
        if by.adjoint != by.from_right {
            triangle = triangle.adjoint();
        }
        let upper = by.upper != (by.adjoint != by.from_right);
        // X·A = B is Aᴴ·Xᴴ = Bᴴ.
        if by.from_right {
            x = x.adjoint();
        }
        Naive.solve_triangular(&triangle, upper, by.unit, &mut x);
        write(&if by.from_right { x.adjoint() } else { x }, b, |_, _| true);
    }
}

/// The reflection 1 − τ·v·vᴴ with v = (1, …) that maps a vector to (β, 0, …): v, τ and β, as by LAPACK's `larfg`.
fn reflection<T: Element>(x: &[T]) -> (Vec<Complex<f64>>, Complex<f64>, f64) {
    let mut v: Vec<Complex<f64>> = x.iter().map(|x| x.to_complex()).collect();
    let rest: f64 = v[1..].iter().map(|x| x.norm_sqr()).sum();
    let first = v[0];
    if rest == 0.0 && first.im == 0.0 {
        v[0] = 1.0.into();
        return (v, Complex::ZERO, first.re);
    }
    let beta = -(first.norm_sqr() + rest).sqrt().copysign(first.re);
    v[1..].iter_mut().for_each(|x| *x /= first - beta);
    v[0] = 1.0.into();
    (v, (beta - first) / beta, beta)
}

/// # Safety
/// As for [`routine`].
unsafe fn geqrf<T: Element>((m, n): (i32, i32), a: MatrixRef, tau: Address) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut matrix = read::<T>(a, m, n);
        for k in 0..m.min(n) as usize {
            let (v, own, beta) = reflection(&matrix.column(k)[k..]);
            for j in k + 1..n as usize {
                let column = &mut matrix.column_mut(j)[k..];
                let dot: Complex<f64> = v.iter().zip(&*column).map(|(v, x)| v.conj() * x.to_complex()).sum();
                column.iter_mut().zip(&v).for_each(|(x, v)| *x = T::from_complex(x.to_complex() - own.conj() * dot * v));
            }
            matrix.column_mut(k)[k..].iter_mut().zip(&v).for_each(|(x, &v)| *x = T::from_complex(v));
            *matrix.at_mut(k, k) = T::from_complex(beta.into());
            *number::<T>(tau, k) = T::from_complex(own);
        }
        write(&matrix, a, |_, _| true);
    }
}

/// # Safety
/// As for [`routine`].
unsafe fn orgqr<T: Element>((m, n, k): (i32, i32, i32), a: MatrixRef, tau: Address) {
    // SAFETY: the caller's promise.
    unsafe {
        let reflections = read::<T>(a, m, k);
        let mut q = Matrix::<T>::unit(m as usize, n as usize);
        for r in (0..k as usize).rev() {
            let mut v: Vec<Complex<f64>> = reflections.column(r)[r..].iter().map(|x| x.to_complex()).collect();
            v[0] = 1.0.into();
            let own = (*number::<T>(tau, r)).to_complex();
            for j in 0..n as usize {
                let column = &mut q.column_mut(j)[r..];
                let dot: Complex<f64> = v.iter().zip(&*column).map(|(v, x)| v.conj() * x.to_complex()).sum();
                column.iter_mut().zip(&v).for_each(|(x, v)| *x = T::from_complex(x.to_complex() - own * dot * v));
            }
        }
        write(&q, a, |_, _| true);
    }
}

/// A number of modulus one, a different one for each vector: the phases that a manual leaves open.
fn any_phase<T: Element>(n: usize) -> T {
    let angle = 1.0 + 2.0 * n as f64;
    if T::DTYPE.is_complex() {
        T::from_complex(Complex::from_polar(1.0, angle))
    } else {
        T::from_complex(angle.cos().signum().into())
    }
}

/// # Safety
/// As for [`routine`].
unsafe fn syev<T: Element>(n: i32, a: MatrixRef, values: Address, info: Address) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut matrix = read::<T>(a, n, n);
        let Ok(found) = Naive.eigh(&mut matrix) else { return *number::<i32>(info, 0) = n + 1 };
        for (k, value) in found.into_iter().enumerate() {
            matrix.scale_column(k, any_phase(k));
            *number::<T::Real>(values, k) = value;
        }
        write(&matrix, a, |_, _| true);
        *number::<i32>(info, 0) = 0;
    }
}

/// U and the adjoint of V.
///
/// # Safety
/// As for [`routine`].
unsafe fn gesvd<T: Element>(
    full: bool,
    (m, n): (i32, i32),
    a: MatrixRef,
    values: Address,
    info: Address,
) -> Option<(Matrix<T>, Matrix<T>)> {
    // SAFETY: the caller's promise.
    unsafe {
        let Ok((mut u, s, mut v)) = Naive.svd(read::<T>(a, m, n), full) else {
            *number::<i32>(info, 0) = m.min(n) + 1;
            return None;
        };
        (0..u.columns).for_each(|k| u.scale_column(k, any_phase(k)));
        let phases: Vec<T> = (0..v.rows).map(|k| any_phase::<T>(k).conj()).collect();
        v.scale_rows(&phases);
        s.into_iter().enumerate().for_each(|(k, value)| *number::<T::Real>(values, k) = value);
        // The routine destroys its input.
        write(&Matrix::from_fn(m as usize, n as usize, |_, _| T::from_complex(f64::NAN.into())), a, |_, _| true);
        *number::<i32>(info, 0) = 0;
        Some((u, v))
    }
}
