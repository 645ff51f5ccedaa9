//! Factors of one dense matrix, computed by a device. Matrices are stored row by row.
//!
//! Knows nothing of sectors or blocks.

use tensorwrapper_core::backend::{Decomposition, Device, Factorisation, Operand, Output};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::memory::zeros;
use tensorwrapper_core::layout::Strided;

/// Which roles the axes of operands and results have: a row, a column, and a new axis, reduced or as long as the rows.
pub(super) const REDUCED: [usize; 6] = [1, 1, 0, 1, 0, 0];
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

/// Matrices of one shape, one after the other, and how many they are.
#[derive(Clone, Copy)]
pub(super) struct Stack<'s, T> {
    pub(super) elements: &'s [T],
    pub(super) count: usize,
    pub(super) extents: [usize; 2],
}

/// The one result of an operation of square matrices: of each the same number of elements, one after the other. A system of
/// equations has its right sides in `right`. Without a batch there is one matrix.
pub(super) fn one_result<T: Element>(
    device: &dyn Device,
    call: &Decomposition,
    a: Stack<'_, T>,
    right: Option<Stack<'_, T>>,
) -> Result<Vec<T>, Error> {
    let (rows, first) = (a.extents[0], 1 - call.batch);
    let result = match (call.kind, right) {
        (Factorisation::Det | Factorisation::Trace, _) => layout(&[a.count][first..])?,
        (_, Some(right)) => layout(&[a.count, rows, right.extents[1]][first..])?,
        _ => layout(&[a.count, rows, rows][first..])?,
    };
    let mut out = zeros(result.len())?;
    let layouts = [Some(a), right].into_iter().flatten();
    let layouts = layouts.map(|stack| stack.layout(call.batch)).collect::<Result<Vec<_>, _>>()?;
    let stacks = [Some(a), right].into_iter().flatten().zip(&layouts);
    let inputs: Vec<Operand<'_>> = stacks.map(|(stack, layout)| Operand::new(T::erase(stack.elements), layout)).collect();
    device.factorise(call, &inputs, vec![Output::new(T::erase_mut(&mut out), &result)])?;
    Ok(out)
}

/// The phase of the determinant of each matrix, and the logarithm of its absolute value.
pub(super) fn slogdet<T: Element>(device: &dyn Device, a: Stack<'_, T>) -> Result<(Vec<T>, Vec<T::Real>), Error> {
    let (mut signs, mut logarithms) = (zeros(a.count)?, zeros::<T::Real>(a.count)?);
    let (result, own) = (layout(&[a.count])?, a.layout(1)?);
    let outputs = vec![Output::new(T::erase_mut(&mut signs), &result), Output::new(T::Real::erase_mut(&mut logarithms), &result)];
    device.factorise(&of_squares(Factorisation::Slogdet), &[Operand::new(T::erase(a.elements), &own)], outputs)?;
    Ok((signs, logarithms))
}

/// A call of an operation of stacks of square matrices.
pub(super) fn of_squares(kind: Factorisation) -> Decomposition {
    let roles = match kind {
        Factorisation::Solve | Factorisation::TriangularSolve => [1, 1, 1, 0, 0, 0],
        Factorisation::Cholesky => AS_ROWS,
        _ => [1, 1, 0, 0, 0, 0],
    };
    Decomposition::plain(kind, 1, roles)
}

impl<T> Stack<'_, T> {
    fn layout(&self, batch: usize) -> Result<Strided, Error> {
        layout(&[self.count, self.extents[0], self.extents[1]][1 - batch..])
    }
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
