//! Which contractions are products of matrices where their tensors lie, as libraries for GPUs compute them: each matrix is stored
//! by columns, one of its two strides is 1, and the products of a batch have one stride.
//!
//! This file knows strides alone. The driver decides who computes such a product, and the route whether a library's call is worth
//! it.
//!
//! Without cuBLAS, and in tests apart from those that ask for it, generated kernels compute such contractions.

use crate::text::{Argument, Gemm, Memory, Stored, Transpose};
use tensorwrapper_core::backend::Contraction;
use tensorwrapper_core::backend::fuse::{Axis, forward, normalise};
use tensorwrapper_core::layout::Strided;

/// Positions of the operands' strides.
const Y: usize = 0;
const LEFT: usize = 1;
const RIGHT: usize = 2;

/// An axis with its strides in the result, in the left and in the right factor.
type Shared = Axis<[isize; 3]>;

/// The axes of a contraction, sorted by the operands that have them and fused as far as their strides allow.
struct StridedAxes {
    rows: Vec<Shared>,
    columns: Vec<Shared>,
    terms: Vec<Shared>,
    batch: Vec<Shared>,
    starts: [isize; 3],
}

/// The product of matrices that a contraction of two tensors is, without its epilogue; `None` where a tensor would have to be
/// copied first. Where there are several such products, the one with the largest matrices.
pub(super) fn strided_gemm(contraction: &Contraction<'_>) -> Option<Gemm> {
    let axes = StridedAxes::of(contraction)?;
    let each = |axes: &[Shared]| -> Vec<Option<usize>> {
        if axes.is_empty() { vec![None] } else { (0..axes.len()).map(Some).collect() }
    };
    let columns = each(&axes.columns);
    let pairs = each(&axes.rows).into_iter().flat_map(|row| columns.iter().map(move |&column| (row, column)));
    let found = pairs.filter_map(|(row, column)| {
        let matrices = axes.matrices(row, column)?;
        [false, true].into_iter().find_map(|exchanged| matrices.gemm(contraction, &axes.starts, exchanged))
    });
    found.min_by_key(|gemm| gemm.batch)
}

impl StridedAxes {
    fn of(contraction: &Contraction<'_>) -> Option<StridedAxes> {
        let &[left, right] = contraction.factors else { return None };
        let layouts = [contraction.output, left.0, right.0];
        let (extents, kept) = (contraction.nest.extents(), contraction.nest.kept());
        if extents.contains(&0) {
            return None;
        }
        let mut starts = [0; 3];
        for (start, layout) in starts.iter_mut().zip(layouts) {
            *start = isize::try_from(layout.offset()).ok()?;
        }
        let stride = |layout: &Strided, axis: usize| layout.strides().get(axis).copied().unwrap_or(0);
        let axis = |n: usize| Axis { extent: extents[n], strides: layouts.map(|layout| stride(layout, n)) };
        let (mut rows, mut columns, mut batch) = (Vec::new(), Vec::new(), Vec::new());
        for axis in (0..kept).map(axis) {
            match (axis.strides[LEFT] != 0, axis.strides[RIGHT] != 0) {
                (true, false) => rows.push(axis),
                (false, true) => columns.push(axis),
                _ => batch.push(axis),
            }
        }
        let mut terms: Vec<Shared> = (kept..extents.len()).map(axis).collect();
        for (axes, first) in [(&mut rows, Y), (&mut columns, Y), (&mut batch, Y), (&mut terms, LEFT)] {
            forward(axes, &mut starts, first);
            normalise(axes, &[first, LEFT, RIGHT]);
        }
        Some(StridedAxes { rows, columns, terms, batch, starts })
    }

    /// The matrices whose rows and columns are these axes; all other axes of the result are a batch.
    fn matrices(&self, row: Option<usize>, column: Option<usize>) -> Option<MatrixAxes> {
        let but = |axes: &[Shared], one: Option<usize>| -> Vec<Shared> {
            axes.iter().enumerate().filter(|(n, _)| Some(*n) != one).map(|(_, axis)| *axis).collect()
        };
        let mut batch = self.batch.clone();
        batch.extend(but(&self.rows, row).into_iter().chain(but(&self.columns, column)));
        normalise(&mut batch, &[Y, LEFT, RIGHT]);
        let batch = match &batch[..] {
            [] => Axis { extent: 1, strides: [0; 3] },
            &[one] => one,
            _ => return None,
        };
        let term = match &self.terms[..] {
            [] => None,
            &[one] => Some(one),
            _ => return None,
        };
        // The manuals do not say what a library makes of negative strides.
        if batch.strides.iter().any(|&stride| stride < 0) {
            return None;
        }
        Some(MatrixAxes { row: row.map(|n| self.rows[n]), column: column.map(|n| self.columns[n]), term, batch })
    }
}

/// One axis of each kind; `None` where there is only one index.
#[derive(Clone, Copy)]
struct MatrixAxes {
    row: Option<Shared>,
    column: Option<Shared>,
    term: Option<Shared>,
    batch: Shared,
}

/// The leading dimension of a matrix that is stored by columns: its column runs along the `near` axis, the next one is a step of
/// `far`. `None` where it is not stored like that.
fn leading_dimension(near: Option<Shared>, far: Option<Shared>, operand: usize) -> Option<i32> {
    if near.is_some_and(|axis| axis.strides[operand] != 1) {
        return None;
    }
    let length = near.map_or(1, |axis| axis.extent);
    let ld = match far {
        None => length,
        Some(axis) => usize::try_from(axis.strides[operand]).ok().filter(|&ld| ld >= length)?,
    };
    i32::try_from(ld).ok()
}

/// How many indices an axis has.
fn extent(axis: Option<Shared>) -> Option<i32> {
    i32::try_from(axis.map_or(1, |axis| axis.extent)).ok()
}

/// How a factor with these axes is given to the library: as it is stored by columns, or as the transpose of what is. With its
/// leading dimension.
fn stored_factor(rows: Option<Shared>, columns: Option<Shared>, operand: usize, conjugate: bool) -> Option<(Transpose, i32)> {
    let plain = || leading_dimension(rows, columns, operand).filter(|_| !conjugate).map(|ld| (Transpose::Plain, ld));
    let transpose = if conjugate { Transpose::Adjoint } else { Transpose::Transposed };
    plain().or_else(|| leading_dimension(columns, rows, operand).map(|ld| (transpose, ld)))
}

impl MatrixAxes {
    /// The product. Where the result is stored by rows, the factors are exchanged: the library computes its transpose.
    fn gemm(&self, contraction: &Contraction<'_>, starts: &[isize; 3], exchanged: bool) -> Option<Gemm> {
        let (first, second) = if exchanged { (RIGHT, LEFT) } else { (LEFT, RIGHT) };
        let (row, column) = if exchanged { (self.column, self.row) } else { (self.row, self.column) };
        let size = contraction.dtype.size();
        let stored = |operand: usize, memory: Memory, ld: i32| -> Option<Stored> {
            let start = usize::try_from(starts[operand]).ok()? * size;
            let batch_stride = i64::try_from(self.batch.strides[operand]).ok()?;
            Some(Stored { argument: Argument { memory, start }, ld, batch_stride })
        };
        let conjugate = |operand: usize| contraction.factors[operand - 1].1 && contraction.dtype.is_complex();
        let output = stored(Y, Memory::Output, leading_dimension(row, column, Y)?)?;
        let factor = |(transpose, ld), operand: usize| Some((transpose, stored(operand, Memory::Input(operand - 1), ld)?));
        let a = factor(stored_factor(row, self.term, first, conjugate(first))?, first)?;
        let b = factor(stored_factor(self.term, column, second, conjugate(second))?, second)?;
        Some(Gemm {
            dtype: contraction.dtype,
            sizes: [extent(row)?, extent(column)?, extent(self.term)?],
            alpha: contraction.alpha,
            factors: [a, b],
            output,
            batch: i32::try_from(self.batch.extent).ok()?,
            tf32: false,
        })
    }
}
