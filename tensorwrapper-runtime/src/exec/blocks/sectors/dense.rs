//! Factors of one dense matrix, computed by a device. Matrices are stored row by row.
//!
//! Knows nothing of sectors or blocks.

use tensorwrapper_core::backend::{Decomposition, Device, Factorisation, Operand, Output};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::memory::zeros;
use tensorwrapper_core::layout::Strided;

/// Which roles the axes of operands and results have: a row, a column, and a new axis, reduced or as long as the rows.
const REDUCED: [usize; 6] = [1, 1, 0, 1, 0, 0];
const AS_ROWS: [usize; 6] = [1, 1, 0, 0, 1, 0];

/// U, the singular values and V.
type Svd<T> = (Vec<T>, Vec<<T as Element>::Real>, Vec<T>);

/// A = U·diag(s)·V.
pub(super) fn svd<T: Element>(device: &dyn Device, matrix: &[T], [rows, columns]: [usize; 2]) -> Result<Svd<T>, Error> {
    let kept = rows.min(columns);
    let (mut u, mut s, mut v) = (zeros(rows * kept)?, zeros::<T::Real>(kept)?, zeros(kept * columns)?);
    let layouts = [layout(&[rows, kept])?, layout(&[kept])?, layout(&[kept, columns])?];
    let outputs = vec![
        Output::new(T::erase_mut(&mut u), &layouts[0]),
        Output::new(T::Real::erase_mut(&mut s), &layouts[1]),
        Output::new(T::erase_mut(&mut v), &layouts[2]),
    ];
    factorise(device, (Factorisation::Svd, REDUCED), matrix, [rows, columns], outputs)?;
    Ok((u, s, v))
}

/// The factors of `Qr` or `Lq`.
pub(super) fn two_factors<T: Element>(
    device: &dyn Device,
    kind: Factorisation,
    matrix: &[T],
    [rows, columns]: [usize; 2],
) -> Result<(Vec<T>, Vec<T>), Error> {
    let kept = rows.min(columns);
    let (mut left, mut right) = (zeros(rows * kept)?, zeros(kept * columns)?);
    let layouts = [layout(&[rows, kept])?, layout(&[kept, columns])?];
    let outputs = vec![Output::new(T::erase_mut(&mut left), &layouts[0]), Output::new(T::erase_mut(&mut right), &layouts[1])];
    factorise(device, (kind, REDUCED), matrix, [rows, columns], outputs)?;
    Ok((left, right))
}

/// The eigenvalues and the eigenvectors, which are columns.
pub(super) fn eigh<T: Element>(device: &dyn Device, matrix: &[T], rows: usize) -> Result<(Vec<T::Real>, Vec<T>), Error> {
    let (mut values, mut vectors) = (zeros::<T::Real>(rows)?, zeros(rows * rows)?);
    let layouts = [layout(&[rows])?, layout(&[rows, rows])?];
    let outputs =
        vec![Output::new(T::Real::erase_mut(&mut values), &layouts[0]), Output::new(T::erase_mut(&mut vectors), &layouts[1])];
    factorise(device, (Factorisation::Eigh, AS_ROWS), matrix, [rows, rows], outputs)?;
    Ok((values, vectors))
}

fn layout(extents: &[usize]) -> Result<Strided, Error> {
    Strided::row_major(extents)
}

fn factorise<T: Element>(
    device: &dyn Device,
    (kind, roles): (Factorisation, [usize; 6]),
    matrix: &[T],
    extents: [usize; 2],
    outputs: Vec<Output<'_>>,
) -> Result<(), Error> {
    let own = layout(&extents)?;
    device.factorise(&Decomposition::plain(kind, 0, roles), &[Operand::new(T::erase(matrix), &own)], outputs)
}
