//! Systems of equations, inverses and determinants, by elimination with partial pivoting; and division by triangles.

use super::matrices::{Batch, Matrices, Orientation, int};
use crate::driver::Driver;
use crate::region::Region;
use crate::routine::{Divisor, MAX_BATCHED_COLUMNS, Routine};
use crate::text::{MatrixPart, Pass};
use tensorwrapper_core::backend::linear::{Determinant, Failure};
use tensorwrapper_core::backend::{Decomposition, Device, Factorisation, Operand, Output};
use tensorwrapper_core::element::{Element, dispatch};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;

/// Batched routines compute matrices up to this order: NVIDIA's manuals say that they are for small matrices, and give no bound.
const SMALL: usize = 128;

/// Whether a batched routine computes matrices of this order with this many right-hand columns.
pub(super) fn is_small<D: Driver>(matrices: &Matrices<'_, D>, order: usize, columns: usize) -> bool {
    matrices.items > 1 && order <= SMALL && columns <= MAX_BATCHED_COLUMNS
}

/// What elimination gives besides its factors.
struct Eliminated<D: Driver> {
    pivots: Region<D>,
    infos: Region<D>,
}

/// Overwrites matrices with their factors.
///
/// # Safety
/// The batch holds the matrices.
unsafe fn getrf<D: Driver>(matrices: &Matrices<'_, D>, a: &Batch<D>, together: bool) -> Result<Eliminated<D>, Error> {
    let (m, n, good) = (int(a.shape.rows), int(a.shape.columns), matrices.good());
    let inner = a.shape.rows.min(a.shape.columns);
    let (pivots, infos) = (matrices.integers(matrices.items * inner)?, matrices.integers(matrices.items)?);
    // SAFETY: the caller's promise, and there is memory for all pivots and infos.
    unsafe {
        if together {
            let (_addresses, a) = matrices.addresses(a)?;
            if good > 0 {
                let (pivots, info) = (pivots.address(), infos.address());
                matrices.call(Routine::GetrfBatched { n, a, pivots, info, batch: int(good) })?;
            }
        } else {
            for item in 0..good {
                let (pivots, info) = (pivots.address() + 4 * (item * inner) as u64, infos.address() + 4 * item as u64);
                matrices.call(Routine::Getrf { m, n, a: a.matrix(item), pivots, info })?;
            }
        }
    }
    Ok(Eliminated { pivots, infos })
}

/// A = P·L·U.
///
/// # Safety
/// As for [`run`](super::run).
pub(super) unsafe fn lu<D: Driver>(matrices: &mut Matrices<'_, D>) -> Result<(), Error> {
    // SAFETY: the caller's promise; all other memory was allocated for its purpose.
    unsafe {
        let a = matrices.read(0, Orientation::Plain)?;
        matrices.check(0, &a, MatrixPart::All)?;
        let found = getrf(matrices, &a, false)?;
        let (rows, columns, inner) = (a.shape.rows, a.shape.columns, a.shape.rows.min(a.shape.columns));
        let (l, u) = (matrices.room(a.shape.dtype, rows, inner)?, matrices.room(a.shape.dtype, inner, columns)?);
        for (factor, upper) in [(&l, false), (&u, true)] {
            let pass = Pass::Triangle { upper, unit: !upper, real: false, line: rows, step: a.shape.points() };
            matrices.pass(pass, factor.shape, &[a.region.address(), factor.region.address()])?;
        }
        // A singular matrix has factors, too.
        matrices.check_infos(&found.infos, |_| None)?;
        matrices.check_result(&a)?;
        matrices.first_error()?;
        let pivots = matrices.fetch_integers(&found.pivots, matrices.items * inner)?;
        let order: Vec<u8> =
            pivots.chunks(inner).flat_map(|pivots| order(rows, pivots)).flat_map(|row| int(row).to_ne_bytes()).collect();
        let order = Region::holding(matrices.operation.driver, &order)?;
        let p = matrices.room(a.shape.dtype, rows, rows)?;
        matrices.pass(Pass::Permutation, p.shape, &[order.address(), p.region.address()])?;
        matrices.write(&p, 0, Orientation::Plain)?;
        matrices.write(&l, 1, Orientation::Plain)?;
        matrices.write(&u, 2, Orientation::Plain)
    }
}

/// The rows of the matrix in the order in which the product of the factors has them.
fn order(rows: usize, pivots: &[i32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows).collect();
    for (k, &pivot) in pivots.iter().enumerate() {
        // While kernels are collected, all pivots are zero.
        if let Some(row) = usize::try_from(pivot).ok().and_then(|pivot| pivot.checked_sub(1)) {
            order.swap(k, row);
        }
    }
    order
}

/// A·X = B.
///
/// # Safety
/// As for [`run`](super::run).
pub(super) unsafe fn solve<D: Driver>(matrices: &mut Matrices<'_, D>) -> Result<(), Error> {
    // SAFETY: the caller's promise; all other memory was allocated for its purpose.
    unsafe {
        let a = matrices.read(0, Orientation::Plain)?;
        matrices.check(0, &a, MatrixPart::All)?;
        let b = matrices.read(1, Orientation::Plain)?;
        matrices.check(1, &b, MatrixPart::All)?;
        solved(matrices, &a, &b)
    }
}

/// A⁻¹.
///
/// # Safety
/// As for [`run`](super::run).
pub(super) unsafe fn inverse<D: Driver>(matrices: &mut Matrices<'_, D>) -> Result<(), Error> {
    // SAFETY: the caller's promise; all other memory was allocated for its purpose.
    unsafe {
        let a = matrices.read(0, Orientation::Plain)?;
        matrices.check(0, &a, MatrixPart::All)?;
        let b = matrices.room(a.shape.dtype, a.shape.rows, a.shape.rows)?;
        matrices.pass(Pass::Unit, b.shape, &[b.region.address()])?;
        solved(matrices, &a, &b)
    }
}

/// Writes the solution of A·X = B.
///
/// # Safety
/// Both batches hold their matrices.
unsafe fn solved<D: Driver>(matrices: &mut Matrices<'_, D>, a: &Batch<D>, b: &Batch<D>) -> Result<(), Error> {
    let together = is_small(matrices, a.shape.rows, b.shape.columns);
    let (n, columns) = (int(a.shape.rows), int(b.shape.columns));
    // SAFETY: the caller's promise.
    unsafe {
        let found = getrf(matrices, a, together)?;
        // A zero pivot must not be divided by, and a division by infinity would hide an overflow.
        matrices.check_infos(&found.infos, |info| Some(Failure::Singular { pivot: info - 1 }))?;
        matrices.check_result(a)?;
        let good = matrices.good();
        let solving = matrices.integers(matrices.items)?;
        if together {
            let ((_matrices, a), (_sides, b)) = (matrices.addresses(a)?, matrices.addresses(b)?);
            if good > 0 {
                let pivots = found.pivots.address();
                matrices.call(Routine::GetrsBatched { n, columns, a, pivots, b, batch: int(good) })?;
            }
        } else {
            for item in 0..good {
                let pivots = found.pivots.address() + 4 * (item * a.shape.rows) as u64;
                let info = solving.address() + 4 * item as u64;
                matrices.call(Routine::Getrs { n, columns, a: a.matrix(item), pivots, b: b.matrix(item), info })?;
            }
            matrices.check_infos(&solving, |_| None)?;
        }
        matrices.check_result(b)?;
        matrices.first_error()?;
        matrices.write(b, 0, Orientation::Plain)
    }
}

/// Divides matrices by triangles.
///
/// # Safety
/// Both batches hold their matrices.
pub(super) unsafe fn divide<D: Driver>(matrices: &Matrices<'_, D>, by: Divisor, a: &Batch<D>, b: &Batch<D>) -> Result<(), Error> {
    let (m, n, good) = (int(b.shape.rows), int(b.shape.columns), matrices.good());
    // SAFETY: the caller's promise.
    unsafe {
        let columns = if by.from_right { b.shape.rows } else { b.shape.columns };
        if is_small(matrices, a.shape.rows, columns) {
            let ((_matrices, a), (_sides, b)) = (matrices.addresses(a)?, matrices.addresses(b)?);
            if good > 0 {
                matrices.call(Routine::TrsmBatched { by, m, n, a, b, batch: int(good) })?;
            }
            return Ok(());
        }
        (0..good).try_for_each(|item| matrices.call(Routine::Trsm { by, m, n, a: a.matrix(item), b: b.matrix(item) }))
    }
}

/// A·X = B for a triangle of A.
///
/// # Safety
/// As for [`run`](super::run).
pub(super) unsafe fn triangular<D: Driver>(matrices: &mut Matrices<'_, D>) -> Result<(), Error> {
    let &Decomposition { upper, unit, .. } = matrices.operation.call;
    // SAFETY: the caller's promise; all other memory was allocated for its purpose.
    unsafe {
        let a = matrices.read(0, Orientation::Plain)?;
        matrices.check(0, &a, MatrixPart::Triangle { upper, diagonal: !unit })?;
        let b = matrices.read(1, Orientation::Plain)?;
        matrices.check(1, &b, MatrixPart::All)?;
        if !unit {
            let zeros = matrices.integers(matrices.items)?;
            matrices.pass(Pass::ZeroPivot, a.shape, &[a.region.address(), zeros.address()])?;
            matrices.check_infos(&zeros, |first| Some(Failure::Singular { pivot: first - 1 }))?;
        }
        divide(matrices, Divisor { from_right: false, upper, adjoint: false, unit }, &a, &b)?;
        matrices.check_result(&b)?;
        matrices.first_error()?;
        matrices.write(&b, 0, Orientation::Plain)
    }
}

/// Determinants, or their phases and the logarithms of their absolute values. The host multiplies the pivots, because the product
/// overflows long before its logarithm does.
///
/// # Safety
/// As for [`run`](super::run).
pub(super) unsafe fn determinant<D: Driver>(matrices: &mut Matrices<'_, D>) -> Result<(), Error> {
    // SAFETY: the caller's promise.
    dispatch!(matrices.dtype, T => unsafe { determinant_of::<T, D>(matrices) })
}

/// # Safety
/// As for [`determinant`], and the elements are of this type.
unsafe fn determinant_of<T: Element, D: Driver>(matrices: &mut Matrices<'_, D>) -> Result<(), Error> {
    // SAFETY: the caller's promise; all other memory was allocated for its purpose.
    unsafe {
        let a = matrices.read(0, Orientation::Plain)?;
        matrices.check(0, &a, MatrixPart::All)?;
        let order = a.shape.rows;
        let found = getrf(matrices, &a, is_small(matrices, order, 0))?;
        matrices.check_infos(&found.infos, |_| None)?;
        matrices.first_error()?;
        let diagonals = matrices.diagonals::<T>(&a)?;
        let pivots = matrices.fetch_integers(&found.pivots, matrices.items * order)?;
        let mut numbers = vec![(T::ZERO, 0.0); matrices.items];
        for (item, number) in numbers.iter_mut().enumerate() {
            let own = item * order..(item + 1) * order;
            let exchanges = pivots[own.clone()].iter().enumerate().filter(|&(k, &pivot)| pivot != int(k + 1)).count();
            match Determinant::of(exchanges % 2 == 1, diagonals[own].iter().copied()) {
                Some(found) if matrices.operation.call.kind == Factorisation::Slogdet => {
                    *number = (found.sign(), found.logarithm())
                }
                Some(found) => match found.value() {
                    Some(value) => number.0 = value,
                    None => matrices.note(item, Failure::Overflow),
                },
                // Elimination has overflowed. The host avoids that by scaling rows.
                None => {
                    let all = matrices.read(0, Orientation::Plain)?;
                    let elements = matrices.fetch::<T>(&all.region, matrices.items * all.shape.points())?;
                    match by_host(
                        matrices.operation.host,
                        matrices.operation.call,
                        &elements[item * order * order..][..order * order],
                        order,
                    ) {
                        Ok(found) => *number = found,
                        Err(_) => matrices.note(item, Failure::Overflow),
                    }
                }
            }
        }
        matrices.first_error()?;
        let first: Vec<T> = numbers.iter().map(|number| number.0).collect();
        matrices.write(&matrices.numbers(&first)?, 0, Orientation::Plain)?;
        if matrices.operation.outputs.len() > 1 {
            let second: Vec<T::Real> = numbers.iter().map(|number| T::Real::from_complex(number.1.into())).collect();
            matrices.write(&matrices.numbers(&second)?, 1, Orientation::Plain)?;
        }
        Ok(())
    }
}

/// The determinant of a matrix that is stored by columns: it equals that of its transpose.
fn by_host<T: Element>(host: &dyn Device, call: &Decomposition, elements: &[T], order: usize) -> Result<(T, f64), Error> {
    let call = Decomposition { batch: 0, roles: [1, 1, 0, 0, 0, 0], ..call.clone() };
    let (matrix, number) = (Strided::row_major(&[order, order])?, Strided::row_major(&[])?);
    let (mut first, mut second) = ([T::ZERO], [T::Real::ZERO]);
    let mut outputs = vec![Output::new(T::erase_mut(&mut first), &number)];
    if call.kind == Factorisation::Slogdet {
        outputs.push(Output::new(<T::Real as Element>::erase_mut(&mut second), &number));
    }
    host.factorise(&call, &[Operand::new(T::erase(elements), &matrix)], outputs)?;
    Ok((first[0], second[0].to_complex().re))
}
