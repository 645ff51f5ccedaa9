//! Triangles: what is computed of them without elimination, and matrices whose blocks make a triangle of smaller ones.
//!
//! Whether a matrix is a triangle is seen in its elements: one of tiles whose diagonal tiles are full has other elements on both sides of
//! its diagonal.

use std::ops::Range;

use tensorwrapper_core::backend::linear::{Determinant, are_finite};
use tensorwrapper_core::backend::{Decomposition, Device, Factorisation, Operand, Output};
use tensorwrapper_core::element::{Dtype, Element};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::memory::zeros;
use tensorwrapper_core::layout::Strided;

use super::assembled::Reach;
use super::dense::{self, Stack, of_squares};
use super::matrix::{BlockMatrix, COLUMNS, Line, ROWS, Sector};

/// Inverses of this number of rows are computed in panels of columns, each of which is solved without the rows in which it is zero.
const IN_PANELS: usize = 128;
/// Panels of an inverse: together they take 0.4 of the operations of one.
const PANELS: usize = 8;

/// That matrices are triangles, all of them upper or all of them lower ones.
#[derive(Clone, Copy)]
pub(super) struct Triangles {
    upper: bool,
}

impl Triangles {
    /// Whether these matrices are triangles; nothing where they are none, and for operations that have no other way for triangles.
    pub(super) fn of<T: Element>(call: &Decomposition, a: Stack<'_, T>) -> Option<Triangles> {
        if Triangles::have_another_way(call.kind) { is_upper(a).map(|upper| Triangles { upper }) } else { None }
    }

    /// Whether an operation of triangles is computed in another way than that of other matrices.
    pub(super) fn have_another_way(kind: Factorisation) -> bool {
        matches!(kind, Factorisation::Solve | Factorisation::Inv | Factorisation::Det)
    }

    /// The result of an operation of these matrices; nothing where elimination is needed. An error says nothing about the matrix: the
    /// operation itself tells what is wrong.
    pub(super) fn computed<T: Element>(
        self,
        device: &dyn Device,
        call: &Decomposition,
        a: Stack<'_, T>,
        right: Option<Stack<'_, T>>,
    ) -> Option<Result<Vec<T>, Error>> {
        match self.instead_of(call.kind) {
            Some(solve) if call.kind == Factorisation::Inv => Some(inverses(device, &solve, a)),
            Some(solve) => Some(dense::one_result(device, &solve, a, right)),
            // A determinant that is too large is told of the matrix itself.
            None => {
                let product = |diagonal: &[T]| multiplied(diagonal.iter().copied()).value();
                diagonals(a).chunks(a.extents[0]).map(product).collect::<Option<Vec<T>>>().map(Ok)
            }
        }
    }

    /// What a device computes of these matrices instead of an operation; nothing for determinants, which are products on the host.
    pub(super) fn instead_of(self, kind: Factorisation) -> Option<Decomposition> {
        let solve = Decomposition { upper: self.upper, ..of_squares(Factorisation::TriangularSolve) };
        (kind != Factorisation::Det).then_some(solve)
    }

    /// The diagonal of one triangle that has a zero there, as a matrix: it is singular as the triangle is. Elimination sees it here, but in
    /// the triangle rounding could hide it. Nothing for others, and for operations that take singular ones.
    pub(super) fn singular<T: Element>(self, call: &Decomposition, a: Stack<'_, T>) -> Option<Vec<T>> {
        if call.kind == Factorisation::Det {
            return None;
        }
        let rows = a.extents[0];
        let is_beside = |n: usize| n / rows != n % rows;
        let diagonal = a.elements.iter().enumerate().map(|(n, &x)| if is_beside(n) { T::ZERO } else { x });
        diagonals(a).contains(&T::ZERO).then(|| diagonal.collect())
    }
}

/// The phase of the determinant of one matrix, and the logarithm of its absolute value: of a triangle those of its diagonal.
pub(super) fn slogdet<T: Element>(device: &dyn Device, a: Stack<'_, T>) -> Result<(T, T::Real), Error> {
    let diagonal = is_upper(a).map(|_| diagonals(a));
    let each = match &diagonal {
        Some(elements) => Stack { elements: &elements[..], count: elements.len(), extents: [1, 1] },
        None => a,
    };
    let (signs, logarithms) = dense::slogdet(device, each)?;
    Ok(together(signs.into_iter().zip(logarithms)))
}

/// The phase of a product, and the logarithm of its absolute value, from those of its factors.
pub(super) fn together<T: Element>(factors: impl IntoIterator<Item = (T, T::Real)>) -> (T, T::Real) {
    let next = |(sign, sum): (T, T::Real), (phase, logarithm)| (sign * phase, sum + logarithm);
    factors.into_iter().fold((T::ONE, T::Real::ZERO), next)
}

/// The phase of a finite number, and the logarithm of its absolute value; 0 and −∞ of zero.
pub(super) fn phase_and_logarithm<T: Element>(x: T) -> (T, T::Real) {
    let of_one = multiplied([x]);
    (of_one.sign(), T::Real::from_complex(of_one.logarithm().into()))
}

/// Whether all of these matrices are upper triangles, or else lower ones; nothing where they are neither, and where there is NaN or
/// infinity, which the operation itself refuses.
fn is_upper<T: Element>(a: Stack<'_, T>) -> Option<bool> {
    let rows = a.extents[0];
    if rows == 0 {
        return None;
    }
    let is_zero = |is_beside: fn(usize, usize) -> bool| {
        let mut at = a.elements.iter().enumerate();
        at.all(|(n, &x)| !is_beside(n / rows % rows, n % rows) || x == T::ZERO)
    };
    // Most matrices are seen to be no triangle after a few elements.
    let upper = is_zero(|row, column| row > column);
    ((upper || is_zero(|row, column| row < column)) && are_finite(a.elements)).then_some(upper)
}

/// The diagonals, one after the other.
fn diagonals<T: Element>(a: Stack<'_, T>) -> Vec<T> {
    let rows = a.extents[0];
    a.elements.chunks(rows * rows).flat_map(|matrix| matrix.iter().step_by(rows + 1)).copied().collect()
}

/// Whether a number has all its digits: zero may have been one that is too small.
pub(super) fn has_all_digits<T: Element>(x: &T) -> bool {
    let least = if T::DTYPE.real() == Dtype::F32 { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
    x.to_complex().norm() >= least
}

/// The product of finite numbers, however large or small products of some of them are.
pub(super) fn multiplied<T: Element>(factors: impl IntoIterator<Item = T>) -> Determinant {
    Determinant::of(false, factors.into_iter()).expect("the factors are finite")
}

/// The product of the determinants of parts, which a device may give as NaN. Nothing where some of them were too small for a number, and
/// the others are so large together that the product need not be.
pub(super) fn product_of_parts<T: Element>(dets: &[T]) -> Option<T> {
    if !are_finite(dets) {
        return Some(dets.iter().fold(T::ONE, |product, &det| product * det));
    }
    let with_digits = multiplied(dets.iter().copied().filter(has_all_digits));
    if dets.iter().all(has_all_digits) {
        return Some(with_digits.nearest());
    }
    (with_digits.logarithm() <= 0.0).then(|| multiplied(dets.iter().copied()).nearest())
}

/// The inverses of triangles. Columns of the inverse are zero where those of the triangle are, so that only the rest is solved.
fn inverses<T: Element>(device: &dyn Device, solve: &Decomposition, a: Stack<'_, T>) -> Result<Vec<T>, Error> {
    let rows = a.extents[0];
    if a.count > 1 || rows < IN_PANELS {
        return panel(device, solve, a, [0..rows, 0..rows]);
    }
    let mut inverse = zeros(rows * rows)?;
    let width = rows.div_ceil(PANELS);
    for first in (0..rows).step_by(width) {
        let columns = first..rows.min(first + width);
        let span = if solve.upper { 0..columns.end } else { first..rows };
        // These rows are read where they lie: a copy could be as large as the matrix. What a device copies to compute is its own.
        let place = span.start * rows..span.end * rows;
        let own = Stack { elements: &a.elements[place.clone()], count: 1, extents: [span.len(), rows] };
        let solved = panel(device, solve, own, [span, columns.clone()])?;
        let lines = inverse[place].chunks_mut(rows).zip(solved.chunks(columns.len()));
        lines.for_each(|(row, solved)| row[columns.clone()].copy_from_slice(solved));
    }
    Ok(inverse)
}

/// Some columns of the inverses of triangles, in the rows where they may be other than zero; `a` has these rows alone.
fn panel<T: Element>(
    device: &dyn Device,
    solve: &Decomposition,
    a: Stack<'_, T>,
    [span, columns]: [Range<usize>; 2],
) -> Result<Vec<T>, Error> {
    let triangle = Strided::row_major(&[a.count, span.len(), a.extents[1]])?.slice(2, span.start, span.len());
    // The same columns of the identity for all matrices.
    let mut units = zeros(span.len() * columns.len())?;
    columns.clone().for_each(|n| units[(n - span.start) * columns.len() + n - columns.start] = T::ONE);
    let side = Strided::row_major(&[span.len(), columns.len()])?.repeat(0, a.count);
    let own = Strided::row_major(&[a.count, span.len(), columns.len()])?;
    let mut solved = zeros(own.len())?;
    let inputs = [Operand::new(T::erase(a.elements), &triangle), Operand::new(T::erase(&units), &side)];
    device.factorise(solve, &inputs, vec![Output::new(T::erase_mut(&mut solved), &own)])?;
    Ok(solved)
}

/// The sectors of a square matrix in smaller ones, whose determinants are factors of theirs: rows between which blocks lead both ways. What
/// leads one way is beside the diagonal of a triangle of these. Nothing where that changes no sector, and where there is NaN or infinity,
/// which the operation itself refuses.
pub(super) fn parts<'m, T: Element>(matrix: &BlockMatrix<'_>, sectors: &[Sector<'m>], slab: &[T]) -> Option<Vec<Sector<'m>>> {
    let parts: Vec<Sector<'m>> = sectors.iter().flat_map(|sector| parts_of(matrix, sector)).collect();
    (parts.len() > sectors.len() && are_finite(slab)).then_some(parts)
}

fn parts_of<'m>(matrix: &BlockMatrix<'_>, sector: &Sector<'m>) -> Vec<Sector<'m>> {
    let reach = Reach::of(matrix, sector);
    let mut parts: Vec<Sector<'m>> = Vec::new();
    let mut part_of: Vec<usize> = Vec::new();
    for (n, line) in sector.lines[ROWS].iter().enumerate() {
        // Rows that lead to each other are in the part of the first of them.
        let known = (0..n).find(|&m| reach.leads(n, m) && reach.leads(m, n)).map(|m| part_of[m]);
        let number = known.unwrap_or(parts.len());
        if known.is_none() {
            parts.push(Sector { charge: sector.charge.clone(), lines: [vec![], vec![]], extents: [0, 0], blocks: vec![] });
        }
        part_of.push(number);
        let part = &mut parts[number];
        let line = Line { first: part.extents[ROWS], ..line.clone() };
        part.extents = part.extents.map(|extent| extent + line.extent);
        part.lines.iter_mut().for_each(|lines| lines.push(line.clone()));
    }
    for image in &sector.blocks {
        let [row, column] = [ROWS, COLUMNS].map(|side| part_of[matrix.line(sector, side, &image.block)]);
        if row == column {
            parts[row].blocks.push(image.clone());
        }
    }
    // Tiles may have no indices.
    parts.retain(|part| part.extents[ROWS] > 0);
    parts
}
