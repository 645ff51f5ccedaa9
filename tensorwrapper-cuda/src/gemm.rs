//! Which contractions are products of matrices where they lie, as libraries for GPUs compute them: matrices stored by columns, one of
//! the two strides of each 1, and one stride from each product of a batch to the next.
//!
//! Knows strides alone. Who computes such a product is the driver's business, and whether it is worth a library's call the route's.

mod permuted;

use num_complex::Complex;

pub(super) use permuted::permuted;

use super::text::{Argument, Fold, Input, Launches, Memory, Route, folded};
use tensorwrapper_core::backend::fuse::{Axis, forward, normalise};
use tensorwrapper_core::backend::{Contraction, Instruction, LoopNest, Program, Reduction};
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::layout::Strided;

/// How a stored matrix becomes the factor. No library conjugates what it does not transpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    Plain,
    Transposed,
    Adjoint,
}

/// Where matrices lie, in elements: the neighbours of a column are neighbours in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stored {
    pub(super) argument: Argument,
    /// From a column to the next.
    pub(super) line: i32,
    /// From a product of the batch to the next; 0 where all have the same matrix.
    pub(super) step: i64,
}

/// `C = alpha · turn(A) · turn(B)` for each product of a batch, all matrices stored by columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Gemm {
    pub(super) dtype: Dtype,
    /// Rows of the result, its columns, and terms of each sum.
    pub(super) sizes: [i32; 3],
    pub(super) alpha: Complex<f64>,
    pub(super) factors: [(Turn, Stored); 2],
    pub(super) output: Stored,
    pub(super) batch: i32,
    /// Whether products in single precision may drop the last bits of their factors.
    pub(super) tf32: bool,
}

/// Positions of the operands' strides.
const Y: usize = 0;
const LEFT: usize = 1;
const RIGHT: usize = 2;

/// An axis of the result, of the left and of the right factor.
type Shared = Axis<[isize; 3]>;

/// The axes of a contraction, sorted by the operands that have them, each kind in normal form.
struct Kinds {
    rows: Vec<Shared>,
    lines: Vec<Shared>,
    terms: Vec<Shared>,
    batch: Vec<Shared>,
    starts: [isize; 3],
}

impl Kinds {
    fn of(contraction: &Contraction<'_>) -> Option<Kinds> {
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
        let (mut rows, mut lines, mut batch) = (Vec::new(), Vec::new(), Vec::new());
        for axis in (0..kept).map(axis) {
            match (axis.strides[LEFT] != 0, axis.strides[RIGHT] != 0) {
                (true, false) => rows.push(axis),
                (false, true) => lines.push(axis),
                _ => batch.push(axis),
            }
        }
        let mut terms: Vec<Shared> = (kept..extents.len()).map(axis).collect();
        for (axes, first) in [(&mut rows, Y), (&mut lines, Y), (&mut batch, Y), (&mut terms, LEFT)] {
            forward(axes, &mut starts, first);
            normalise(axes, &[first, LEFT, RIGHT]);
        }
        Some(Kinds { rows, lines, terms, batch, starts })
    }

    /// The matrices where those axes are rows and lines, and all else is a batch.
    fn matrices(&self, row: Option<usize>, line: Option<usize>) -> Option<Matrices> {
        let but = |axes: &[Shared], one: Option<usize>| -> Vec<Shared> {
            axes.iter().enumerate().filter(|(n, _)| Some(*n) != one).map(|(_, axis)| *axis).collect()
        };
        let mut batch = self.batch.clone();
        batch.extend(but(&self.rows, row).into_iter().chain(but(&self.lines, line)));
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
        // What a library makes of strides below zero is nowhere written.
        if batch.strides.iter().any(|&stride| stride < 0) {
            return None;
        }
        Some(Matrices { row: row.map(|n| self.rows[n]), line: line.map(|n| self.lines[n]), term, batch })
    }
}

/// One axis of each kind; `None` where there is but one index.
#[derive(Clone, Copy)]
struct Matrices {
    row: Option<Shared>,
    line: Option<Shared>,
    term: Option<Shared>,
    batch: Shared,
}

/// The stride from a column to the next of matrices whose columns run along the `near` axis.
fn columns(near: Option<Shared>, far: Option<Shared>, operand: usize) -> Option<i32> {
    if near.is_some_and(|axis| axis.strides[operand] != 1) {
        return None;
    }
    let length = near.map_or(1, |axis| axis.extent);
    let line = match far {
        None => length,
        Some(axis) => usize::try_from(axis.strides[operand]).ok().filter(|&line| line >= length)?,
    };
    i32::try_from(line).ok()
}

/// How many indices an axis has.
fn extent(axis: Option<Shared>) -> Option<i32> {
    i32::try_from(axis.map_or(1, |axis| axis.extent)).ok()
}

impl Matrices {
    /// How a factor is read whose matrix has these axes as the library wants them: by columns as it lies, or as its transpose.
    fn factor(rows: Option<Shared>, lines: Option<Shared>, operand: usize, conjugate: bool) -> Option<(Turn, i32)> {
        let plain = || columns(rows, lines, operand).filter(|_| !conjugate).map(|line| (Turn::Plain, line));
        let turn = if conjugate { Turn::Adjoint } else { Turn::Transposed };
        plain().or_else(|| columns(lines, rows, operand).map(|line| (turn, line)))
    }

    /// The product, with the factors exchanged where the result lies by rows: its transpose is what the library sees.
    fn gemm(&self, contraction: &Contraction<'_>, starts: &[isize; 3], exchanged: bool) -> Option<Gemm> {
        let (first, second) = if exchanged { (RIGHT, LEFT) } else { (LEFT, RIGHT) };
        let (row, line) = if exchanged { (self.line, self.row) } else { (self.row, self.line) };
        let size = contraction.dtype.size();
        let stored = |operand: usize, memory: Memory, line: i32| -> Option<Stored> {
            let start = usize::try_from(starts[operand]).ok()? * size;
            let step = i64::try_from(self.batch.strides[operand]).ok()?;
            Some(Stored { argument: Argument { memory, start }, line, step })
        };
        let conjugate = |operand: usize| contraction.factors[operand - 1].1 && contraction.dtype.is_complex();
        let output = stored(Y, Memory::Output, columns(row, line, Y)?)?;
        let factor = |(turn, line), operand: usize| Some((turn, stored(operand, Memory::Input(operand - 1), line)?));
        let a = factor(Matrices::factor(row, self.term, first, conjugate(first))?, first)?;
        let b = factor(Matrices::factor(self.term, line, second, conjugate(second))?, second)?;
        Some(Gemm {
            dtype: contraction.dtype,
            sizes: [extent(row)?, extent(line)?, extent(self.term)?],
            alpha: contraction.alpha,
            factors: [a, b],
            output,
            batch: i32::try_from(self.batch.extent).ok()?,
            tf32: false,
        })
    }
}

impl Gemm {
    /// The product of matrices that a contraction of two tensors is, whatever is computed with it then; `None` where a tensor
    /// would have to be copied first. Of several ways to see one, that with the largest matrices.
    pub(super) fn of(contraction: &Contraction<'_>) -> Option<Gemm> {
        let kinds = Kinds::of(contraction)?;
        let each = |axes: &[Shared]| -> Vec<Option<usize>> {
            if axes.is_empty() { vec![None] } else { (0..axes.len()).map(Some).collect() }
        };
        let lines = each(&kinds.lines);
        let ways = each(&kinds.rows).into_iter().flat_map(|row| lines.iter().map(move |&line| (row, line)));
        let found = ways.filter_map(|(row, line)| {
            let matrices = kinds.matrices(row, line)?;
            [false, true].into_iter().find_map(|exchanged| matrices.gemm(contraction, &kinds.starts, exchanged))
        });
        found.min_by_key(|gemm| gemm.batch)
    }

    /// Whether a library is to compute it.
    fn is_worth(&self, route: Route, then: bool) -> bool {
        let [m, n, k] = self.sizes;
        match route {
            Route::Library => true,
            // What would go in blocks of matrices else. What is computed then is a pass of its own behind a library: short sums
            // are cheaper with both in one kernel.
            Route::Chosen => m.min(n) >= 16 && k >= if then { 64 } else { 4 },
            Route::LargeTiles | Route::SmallTiles | Route::Parts | Route::Threads => false,
        }
    }
}

/// A contraction as a library's product, and what is computed then as a kernel behind it; `None` where a generated kernel does all.
pub(super) fn multiplied(contraction: &Contraction<'_>, route: Route, tf32: bool) -> Option<Launches> {
    let with = |gemm: Gemm| Gemm { tf32, ..gemm };
    if contraction.then.is_none() {
        let product = Gemm::of(contraction).filter(|gemm| gemm.is_worth(route, false)).map(with)?;
        return Some(Launches { before: Vec::new(), product: Some(product), launches: Vec::new(), scratch: 0 });
    }
    let sum = Strided::row_major(&contraction.nest.extents()[..contraction.nest.kept()]).ok()?;
    let product = Gemm::of(&Contraction { output: &sum, then: None, others: &[], ..*contraction });
    behind(contraction, with(product.filter(|gemm| gemm.is_worth(route, true))?), &sum, 0, route)
}

/// A product whose result lies in scratch memory from a byte on, like `sum`, and the kernel that takes it to where it belongs.
fn behind(contraction: &Contraction<'_>, product: Gemm, sum: &Strided, at: usize, route: Route) -> Option<Launches> {
    let kept = contraction.nest.kept();
    let extents = &contraction.nest.extents()[..kept];
    let mut product = product;
    let Argument { start, .. } = product.output.argument;
    product.output.argument = Argument { memory: Memory::Scratch, start: at + start };
    let others = contraction.others.iter().map(|&(layout, conjugate)| {
        let layout = Strided::within(extents, &layout.strides()[..kept], layout.offset(), usize::MAX).ok()?;
        Some((layout, conjugate))
    });
    let others = others.collect::<Option<Vec<(Strided, bool)>>>()?;
    let input = |layout, conjugate| Input { layout, dtype: contraction.dtype, conjugate };
    let inputs = std::iter::once(input(sum, false)).chain(others.iter().map(|(layout, c)| input(layout, *c))).collect();
    let nest = LoopNest::new(extents.to_vec(), kept);
    let identity = Program::new(vec![Instruction::Input(0)]);
    let then = contraction.then.unwrap_or(&identity);
    let fold = Fold::map(&nest, (then, Reduction::Sum), inputs, (contraction.output, contraction.dtype));
    let mut launches = folded(&fold, route)?;
    // The kernel's first input is the sum; the others come behind both factors.
    for argument in launches.launches.iter_mut().flat_map(|launch| &mut launch.arguments) {
        *argument = match argument.memory {
            Memory::Input(0) => Argument { memory: Memory::Scratch, start: at + argument.start },
            Memory::Input(n) => Argument { memory: Memory::Input(n + 1), ..*argument },
            Memory::Output | Memory::Scratch => *argument,
        };
    }
    let scratch = at + sum.len() * contraction.dtype.size();
    Some(Launches { product: Some(product), scratch, ..launches })
}

#[cfg(test)]
mod tests;
