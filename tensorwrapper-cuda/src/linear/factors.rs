//! Factors of matrices: of Cholesky, Q and R, eigenvectors, singular vectors.

use super::elimination::{divide, is_small};
use super::matrices::{Batch, Matrices, Orientation, int, jacobi_batches};
use super::support::{by_rotations, size};
use crate::driver::Driver;
use crate::region::Region;
use crate::routine::{Divisor, MAX_JACOBI_ORDER, Routine};
use crate::text::{BatchShape, MatrixPart, Pass};
use tensorwrapper_core::backend::linear::{Failure, discarded, phase_tolerance};
use tensorwrapper_core::element::{Element, dispatch};
use tensorwrapper_core::error::Error;

/// The part of a Hermitian matrix that is read.
const LOWER: MatrixPart = MatrixPart::Hermitian;

/// A = L·Lᴴ.
///
/// # Safety
/// As for [`run`](super::run).
pub(super) unsafe fn cholesky<D: Driver>(matrices: &mut Matrices<'_, D>) -> Result<(), Error> {
    // SAFETY: the caller's promise; all other memory was allocated for its purpose.
    unsafe {
        let a = matrices.read(0, Orientation::Plain)?;
        matrices.check(0, &a, LOWER)?;
        matrices.pass(Pass::Mirror, a.shape, &[a.region.address()])?;
        let infos = potrf(matrices, &a)?;
        let (line, step) = (a.shape.rows, a.shape.points());
        let l = matrices.room(a.shape.dtype, a.shape.rows, a.shape.columns)?;
        let pass = Pass::Triangle { upper: false, unit: false, real: true, line, step };
        matrices.pass(pass, l.shape, &[a.region.address(), l.region.address()])?;
        matrices.check_infos(&infos, |info| Some(Failure::NotPositiveDefinite { pivot: info - 1 }))?;
        matrices.check_result(&l)?;
        matrices.first_error()?;
        matrices.write(&l, 0, Orientation::Plain)
    }
}

/// Overwrites lower triangles with their Cholesky factors.
///
/// # Safety
/// The batch holds the matrices.
unsafe fn potrf<D: Driver>(matrices: &Matrices<'_, D>, a: &Batch<D>) -> Result<Region<D>, Error> {
    let (n, good) = (int(a.shape.rows), matrices.good());
    let infos = matrices.integers(matrices.items)?;
    // SAFETY: the matrices are there, and a number for each.
    unsafe {
        if is_small(matrices, a.shape.rows, 0) {
            let (_addresses, columns) = matrices.addresses(a)?;
            if good > 0 {
                matrices.call(Routine::PotrfBatched { n, a: columns, info: infos.address(), batch: int(good) })?;
            }
        } else {
            for item in 0..good {
                matrices.call(Routine::Potrf { n, a: a.matrix(item), info: infos.address() + 4 * item as u64 })?;
            }
        }
    }
    Ok(infos)
}

/// A·x = λ·x. With a metric B = L·Lᴴ: A·x = λ·B·x, where x is L⁻ᴴ times the eigenvectors of L⁻¹·A·L⁻ᴴ.
///
/// # Safety
/// As for [`run`](super::run).
pub(super) unsafe fn eigh<D: Driver>(matrices: &mut Matrices<'_, D>) -> Result<(), Error> {
    // SAFETY: the caller's promise; all other memory was allocated for its purpose.
    unsafe {
        let a = matrices.read(0, Orientation::Plain)?;
        let sizes = matrices.check(0, &a, LOWER)?;
        let mut exponents = matrices.exponents(&sizes, 1);
        let n = a.shape.rows;
        let mut metric = None;
        if matrices.operation.inputs.len() > 1 {
            let b = matrices.read(1, Orientation::Plain)?;
            let sizes = matrices.check(1, &b, LOWER)?;
            // Even, because the eigenvectors are scaled by the square root.
            metric = Some((b, matrices.exponents(&sizes, 2)));
        }
        matrices.pass(Pass::Mirror, a.shape, &[a.region.address()])?;
        matrices.scale(&a, exponents.iter().map(|k| -k))?;
        let lower = Divisor { from_right: false, upper: false, adjoint: false, unit: false };
        if let Some((b, own)) = &metric {
            matrices.pass(Pass::Mirror, b.shape, &[b.region.address()])?;
            matrices.scale(b, own.iter().map(|k| -k))?;
            let infos = potrf(matrices, b)?;
            // An iteration must not get NaN.
            matrices.check_infos(&infos, |info| Some(Failure::NotPositiveDefinite { pivot: info - 1 }))?;
            divide(matrices, lower, b, &a)?;
            divide(matrices, Divisor { from_right: true, adjoint: true, ..lower }, b, &a)?;
            matrices.check_result(&a)?;
        }
        let values = matrices.room(a.shape.dtype.real(), n, 1)?;
        let infos = matrices.integers(matrices.items)?;
        let good = matrices.good();
        if matrices.items > 1 && n <= MAX_JACOBI_ORDER {
            for (first, batch) in jacobi_batches(good) {
                let (values, info) = (values.at(first), infos.address() + 4 * first as u64);
                matrices.call(Routine::SyevjBatched { n: int(n), a: a.matrix(first), values, info, batch })?;
            }
        } else {
            for item in 0..good {
                let info = infos.address() + 4 * item as u64;
                matrices.call(Routine::Syevd { n: int(n), a: a.matrix(item), values: values.at(item), info })?;
            }
        }
        matrices.check_infos(&infos, |_| Some(Failure::NoConvergence))?;
        if let Some((b, _)) = &metric {
            divide(matrices, Divisor { adjoint: true, ..lower }, b, &a)?;
        }
        set_phases(matrices, &a, false, 0, n)?;
        if let Some((_, own)) = &metric {
            matrices.scale(&a, own.iter().map(|k| -k / 2))?;
            exponents.iter_mut().zip(own).for_each(|(exponent, own)| *exponent -= own);
        }
        matrices.scale(&values, exponents.iter().copied())?;
        matrices.check_result(&values)?;
        if metric.is_some() {
            matrices.check_result(&a)?;
        }
        matrices.first_error()?;
        matrices.write(&values, 0, Orientation::Plain)?;
        matrices.write(&a, 1, Orientation::Plain)
    }
}

/// Makes the largest component of some rows or columns real and positive; returns the phases by which they were multiplied.
unsafe fn set_phases<D: Driver>(
    matrices: &Matrices<'_, D>,
    batch: &Batch<D>,
    by_rows: bool,
    first: usize,
    count: usize,
) -> Result<Batch<D>, Error> {
    let phases = matrices.room(batch.shape.dtype, count, 1)?;
    if count > 0 {
        let within = dispatch!(batch.shape.dtype, T => 1.0 - phase_tolerance::<T>()).to_bits();
        let pass = Pass::SetPhases { by_rows, first, count, within };
        // SAFETY: the matrices have this many rows or columns, and there is memory for a phase of each.
        unsafe { matrices.pass(pass, batch.shape, &[batch.region.address(), phases.region.address()]) }?;
    }
    Ok(phases)
}

/// A = Q·R, where the diagonal of R is real and not negative; or A = L·Q, computed as the adjoint of Aᴴ = Q·R.
///
/// # Safety
/// As for [`run`](super::run).
pub(super) unsafe fn qr<D: Driver>(matrices: &mut Matrices<'_, D>, lq: bool) -> Result<(), Error> {
    let orientation = if lq { Orientation::Adjoint } else { Orientation::Plain };
    // SAFETY: the caller's promise; all other memory was allocated for its purpose.
    unsafe {
        let a = matrices.read(0, orientation)?;
        let sizes = matrices.check(0, &a, MatrixPart::All)?;
        let exponents = matrices.exponents(&sizes, 1);
        matrices.scale(&a, exponents.iter().map(|k| -k))?;
        let BatchShape { dtype, rows, columns, .. } = a.shape;
        let inner = rows.min(columns);
        let (tau, infos) = (matrices.room(dtype, inner, 1)?, matrices.integers(2 * matrices.items)?);
        let info = |item: usize| infos.address() + 4 * item as u64;
        for item in 0..matrices.good() {
            let (m, n) = (int(rows), int(columns));
            matrices.call(Routine::Geqrf { m, n, a: a.matrix(item), tau: tau.at(item), info: info(item) })?;
        }
        let is_full = matrices.operation.call.full;
        let r = matrices.room(dtype, if is_full { rows } else { inner }, columns)?;
        let triangle = Pass::Triangle { upper: true, unit: false, real: false, line: rows, step: a.shape.points() };
        matrices.pass(triangle, r.shape, &[a.region.address(), r.region.address()])?;
        let phases = matrices.room(dtype, inner, 1)?;
        matrices.pass(Pass::DiagonalPhases, r.shape, &[r.region.address(), phases.region.address()])?;
        let phased = Pass::ApplyPhases { by_rows: true, count: inner, conjugate: false, real: true };
        matrices.pass(phased, r.shape, &[phases.region.address(), r.region.address()])?;
        let width = if is_full { rows } else { inner };
        // If Q has more columns than A it cannot overwrite A.
        let q = match width > columns {
            true => {
                let q = matrices.room(dtype, rows, width)?;
                let reflections = a.shape.points() * dtype.size();
                (0..matrices.items).try_for_each(|item| matrices.operation.driver.copy(a.at(item), q.at(item), reflections))?;
                q
            }
            false => a,
        };
        for item in 0..matrices.good() {
            let call = Routine::Orgqr {
                m: int(rows),
                n: int(width),
                k: int(inner),
                a: q.matrix(item),
                tau: tau.at(item),
                info: info(matrices.items + item),
            };
            matrices.call(call)?;
        }
        let phased = Pass::ApplyPhases { by_rows: false, count: inner, conjugate: true, real: false };
        matrices.pass(phased, q.shape, &[phases.region.address(), q.region.address()])?;
        matrices.scale(&r, exponents.iter().copied())?;
        matrices.check_infos(&infos, |_| None)?;
        matrices.check_result(&r)?;
        matrices.first_error()?;
        let [at_q, at_r] = if lq { [1, 0] } else { [0, 1] };
        matrices.write(&q, at_q, orientation)?;
        matrices.write(&r, at_r, orientation)
    }
}

/// A = U·diag(s)·V, where the largest component of each column of U is real and positive.
///
/// # Safety
/// As for [`run`](super::run).
pub(super) unsafe fn svd<D: Driver>(matrices: &mut Matrices<'_, D>) -> Result<(), Error> {
    let call = matrices.operation.call;
    let seen = &matrices.operation.inputs[0].0;
    let (rows, columns) = size(call, seen.layout, call.form().arguments[0]);
    let by_rotations = by_rotations(matrices.items, rows, columns, call.full);
    // The other routine takes no matrices with more columns than rows.
    let orientation = if by_rotations || rows >= columns { Orientation::Plain } else { Orientation::Adjoint };
    // SAFETY: the caller's promise; all other memory was allocated for its purpose.
    unsafe {
        let a = matrices.read(0, orientation)?;
        let sizes = matrices.check(0, &a, MatrixPart::All)?;
        let exponents = matrices.exponents(&sizes, 1);
        matrices.scale(&a, exponents.iter().map(|k| -k))?;
        let BatchShape { dtype, rows: m, columns: n, .. } = a.shape;
        let (inner, good) = (m.min(n), matrices.good());
        let values = matrices.room(dtype.real(), inner, 1)?;
        let u = matrices.room(dtype, m, if by_rotations || call.full { m } else { n })?;
        let other = matrices.room(dtype, n, n)?;
        let infos = matrices.integers(matrices.items)?;
        if by_rotations {
            for (first, batch) in jacobi_batches(good) {
                matrices.call(Routine::GesvdjBatched {
                    m: int(m),
                    n: int(n),
                    a: a.matrix(first),
                    values: values.at(first),
                    u: u.matrix(first),
                    v: other.matrix(first),
                    info: infos.address() + 4 * first as u64,
                    batch,
                })?;
            }
        } else {
            for item in 0..good {
                matrices.call(Routine::Gesvd {
                    full: call.full,
                    m: int(m),
                    n: int(n),
                    a: a.matrix(item),
                    values: values.at(item),
                    u: u.matrix(item),
                    vt: other.matrix(item),
                    info: infos.address() + 4 * item as u64,
                })?;
            }
        }
        matrices.check_infos(&infos, |_| Some(Failure::NoConvergence))?;
        // The phases are those of U of the matrix itself, which is the second factor if its adjoint was decomposed.
        let (set, with) = if orientation == Orientation::Plain { (&u, &other) } else { (&other, &u) };
        let (set_by_rows, with_by_rows) =
            (orientation == Orientation::Adjoint, orientation == Orientation::Plain && !by_rotations);
        let phases = set_phases(matrices, set, set_by_rows, 0, inner)?;
        let phased = Pass::ApplyPhases { by_rows: with_by_rows, count: inner, conjugate: !by_rotations, real: false };
        matrices.pass(phased, with.shape, &[phases.region.address(), with.region.address()])?;
        if call.full {
            // Vectors that belong to no singular value have phases of their own.
            for (factor, by_rows) in [(set, set_by_rows), (with, with_by_rows)] {
                set_phases(matrices, factor, by_rows, inner, factor.shape.rows - inner)?;
            }
        }
        matrices.scale(&values, exponents.iter().copied())?;
        matrices.check_result(&values)?;
        matrices.first_error()?;
        if matrices.operation.outputs.len() > 3 {
            dispatch!(dtype.real(), R => cut::<R, D>(matrices, &values))?;
        }
        let of_v = if by_rotations { Orientation::Adjoint } else { orientation };
        matrices.write(set, 0, orientation)?;
        matrices.write(&values, 1, Orientation::Plain)?;
        matrices.write(with, 2, of_v)
    }
}

/// Writes the discarded weights and the numbers of singular values that are kept.
///
/// # Safety
/// As for [`svd`].
unsafe fn cut<R: Element, D: Driver>(matrices: &Matrices<'_, D>, values: &Batch<D>) -> Result<(), Error> {
    let length = values.shape.points();
    let found = matrices.fetch::<R>(&values.region, matrices.items * length)?;
    let of_items = found.chunks(length).map(|values| values.iter().map(|s| s.to_complex().re).collect());
    let (weights, kept) = discarded(matrices.operation.call, of_items);
    let number = |x: f64| R::from_complex(x.into());
    let weights: Vec<R> = weights.into_iter().map(number).collect();
    let kept = vec![number(kept as f64); matrices.items];
    for (result, numbers) in [(3, &weights), (4, &kept)] {
        if result < matrices.operation.outputs.len() {
            // SAFETY: the caller's promise.
            unsafe { matrices.write(&matrices.numbers(numbers)?, result, Orientation::Plain) }?;
        }
    }
    Ok(())
}
