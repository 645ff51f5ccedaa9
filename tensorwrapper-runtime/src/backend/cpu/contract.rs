//! Sums of products: which axis plays which part, and which engine computes the result.

use std::borrow::Cow;

use super::engine::{self, Multiplied, Simd};
use super::fuse::{self, Axis, points};
use super::sink::Sink;
use super::split::narrowest;
use super::{Cpu, Route, direct, map, matrix};
use crate::backend::function::Scalar;
use crate::backend::{Binary, Instruction, LoopNest, Operand, Output, Program, Reduction};
use crate::erased::zeros;
use crate::error::Error;
use crate::layout::Strided;

/// Axes over the left factor, the right factor, and the output.
pub(super) type Triple = Axis<[isize; 3]>;
/// Where the left factor's strides and positions stand.
pub(super) const LEFT: usize = 0;
/// Where the right factor's strides and positions stand.
pub(super) const RIGHT: usize = 1;
/// Where the output's strides and positions stand.
pub(super) const OUT: usize = 2;

/// Multiplications for one output matrix below which the blocked kernel's preparations cost more than its speed brings.
const SMALL: usize = 8 * 8 * 8;

/// Rows or columns below which a matrix is narrow.
const NARROW: usize = 48;

/// One factor: its memory, borrowed or packed.
#[derive(Clone, Debug)]
pub(super) struct Factor<'a, T: Clone> {
    pub(super) data: Cow<'a, [T]>,
    pub(super) conjugate: bool,
}

impl<T: Clone> Factor<'_, T> {
    /// The same memory.
    pub(super) fn borrowed(&self) -> Factor<'_, T> {
        Factor { data: Cow::Borrowed(&self.data), conjugate: self.conjugate }
    }
}

/// A product of two factors, its axes sorted by their parts. There is at least one element and one term.
pub(super) struct Product<'a, T: Clone> {
    /// In both factors and the output, or in the output alone.
    pub(super) batch: Vec<Triple>,
    /// In the left factor and the output.
    pub(super) rows: Vec<Triple>,
    /// In the right factor and the output.
    pub(super) columns: Vec<Triple>,
    /// In both factors, summed.
    pub(super) inner: Vec<Triple>,
    pub(super) factors: [Factor<'a, T>; 2],
    /// Positions of the first elements.
    pub(super) start: [isize; 3],
    pub(super) alpha: T,
    pub(super) out: Sink<'a, T>,
}

/// See [`Device::contract`](crate::backend::Device::contract).
pub(super) fn contract<T: Multiplied>(
    cpu: &Cpu,
    nest: &LoopNest,
    alpha: T,
    factors: &[Operand<'_>],
    output: Output<'_>,
) -> Result<(), Error> {
    if output.layout().is_empty() {
        return Ok(());
    }
    let injective = fuse::is_injective(output.layout().extents(), output.layout().strides());
    let [left, right] = factors else { return element_wise(cpu, nest, alpha, factors, output) };
    let (left, right) = (left.layout().strides(), right.layout().strides());
    // Without a sum, or where every output is multiplied by the number of terms alone, there is nothing to gain.
    let sums = |n: usize| nest.extents()[n] != 1 && (left[n] != 0 || right[n] != 0);
    if nest.reduced_extents().contains(&0) || !injective || !(nest.kept()..nest.rank()).any(sums) {
        return element_wise(cpu, nest, alpha, factors, output);
    }
    let product = classify(cpu, nest, alpha, factors, output)?;
    match cpu.route {
        Route::Chosen if product.suits_direct() => direct::contract(cpu.threads, product),
        Route::Chosen if product.suits_engine() => engine::contract(cpu.threads, product, Simd::chosen()?),
        Route::Chosen => matrix::contract(cpu.threads, product, SMALL, false),
        Route::Engine(simd) => engine::contract(cpu.threads, product, simd),
        Route::Direct => direct::contract(cpu.threads, product),
        Route::Tiles => matrix::contract(cpu.threads, product, usize::MAX, false),
        Route::Blocked => matrix::contract(cpu.threads, product, 0, false),
        Route::Packed => matrix::contract(cpu.threads, product, 0, true),
    }
}

/// Products in which nothing is summed, and those of another number of factors.
fn element_wise<T: Scalar>(
    cpu: &Cpu,
    nest: &LoopNest,
    alpha: T,
    factors: &[Operand<'_>],
    output: Output<'_>,
) -> Result<(), Error> {
    let mut instructions: Vec<Instruction> = (0..factors.len()).map(Instruction::Input).collect();
    if alpha != T::ONE || factors.is_empty() {
        instructions.push(Instruction::Constant(alpha.to_complex()));
    }
    let values = instructions.len();
    for n in 1..values {
        let previous = if n == 1 { 0 } else { instructions.len() - 1 };
        instructions.push(Instruction::Combine(Binary::Multiply, previous, n));
    }
    map::map::<T>(cpu.threads, nest, (&Program::new(instructions), &[]), Reduction::Sum, factors, output)
}

fn classify<'a, T: Scalar>(
    cpu: &Cpu,
    nest: &LoopNest,
    mut alpha: T,
    factors: &[Operand<'a>],
    output: Output<'a>,
) -> Result<Product<'a, T>, Error> {
    let (out, layout) = output.typed::<T>();
    let mut axes: Vec<Triple> = (0..nest.rank())
        .map(|n| Axis {
            extent: nest.extents()[n],
            strides: [
                factors[0].layout().strides()[n],
                factors[1].layout().strides()[n],
                layout.strides().get(n).copied().unwrap_or(0),
            ],
        })
        .collect();
    let mut reduced = axes.split_off(nest.kept());
    let mut start = [factors[0].layout().offset() as isize, factors[1].layout().offset() as isize, layout.offset() as isize];
    let mut data = [LEFT, RIGHT].map(|side| Factor {
        data: Cow::Borrowed(factors[side].typed::<T>()),
        conjugate: factors[side].conjugate && T::DTYPE.is_complex(),
    });
    axes.retain(|axis| axis.extent != 1);
    reduced.retain(|axis| axis.extent != 1);
    for side in [LEFT, RIGHT] {
        let other = 1 - side;
        let (alone, rest) = reduced.into_iter().partition(|axis| axis.strides[side] != 0 && axis.strides[other] == 0);
        reduced = rest;
        sum_alone(cpu, alone, [&mut axes, &mut reduced], side, &mut start, &mut data[side])?;
    }
    // Axes of neither factor only repeat the sum.
    let (inner, repeated): (Vec<Triple>, Vec<Triple>) = reduced.into_iter().partition(|axis| axis.strides[LEFT] != 0);
    if !repeated.is_empty() {
        alpha *= T::from_complex((points(&repeated) as f64).into());
    }
    let (batch, apart): (Vec<Triple>, Vec<Triple>) =
        axes.into_iter().partition(|axis| (axis.strides[LEFT] != 0) == (axis.strides[RIGHT] != 0));
    let (columns, rows) = apart.into_iter().partition(|axis: &Triple| axis.strides[RIGHT] != 0);
    let mut product = Product { batch, rows, columns, inner, factors: data, start, alpha, out: Sink::new(out) };
    fuse::forward(&mut product.batch, &mut product.start, OUT);
    fuse::forward(&mut product.rows, &mut product.start, OUT);
    fuse::forward(&mut product.columns, &mut product.start, OUT);
    fuse::forward(&mut product.inner, &mut product.start, LEFT);
    fuse::normalise(&mut product.batch, &[OUT, LEFT, RIGHT]);
    fuse::normalise(&mut product.rows, &[OUT, LEFT]);
    fuse::normalise(&mut product.columns, &[OUT, RIGHT]);
    fuse::normalise(&mut product.inner, &[LEFT, RIGHT]);
    Ok(product)
}

/// Sums a factor over the axes that it alone has, into memory of its own.
fn sum_alone<T: Scalar>(
    cpu: &Cpu,
    alone: Vec<Triple>,
    others: [&mut Vec<Triple>; 2],
    side: usize,
    start: &mut [isize; 3],
    factor: &mut Factor<'_, T>,
) -> Result<(), Error> {
    if alone.is_empty() {
        return Ok(());
    }
    let mut kept: Vec<&mut Triple> = others.into_iter().flatten().filter(|axis| axis.strides[side] != 0).collect();
    kept.sort_by_key(|axis| std::cmp::Reverse(axis.strides[side].unsigned_abs()));
    let (mut extents, mut strides): (Vec<usize>, Vec<isize>) =
        kept.iter().map(|axis| &**axis).chain(&alone).map(|axis| (axis.extent, axis.strides[side])).unzip();
    let layout = Strided::within(&extents, &strides, start[side] as usize, factor.data.len())?;
    let operand = Operand::new(T::erase(&factor.data), &layout);
    let nest = LoopNest::new(extents.clone(), kept.len());
    extents.truncate(kept.len());
    let result = Strided::row_major(&extents)?;
    strides.clear();
    strides.extend(result.strides());
    let mut summed = zeros::<T>(result.len())?;
    let program = Program::new(vec![Instruction::Input(0)]);
    let output = Output::new(T::erase_mut(&mut summed), &result);
    map::map::<T>(cpu.threads, &nest, (&program, &[]), Reduction::Sum, &[operand], output)?;
    for (axis, stride) in kept.into_iter().zip(strides) {
        axis.strides[side] = stride;
    }
    (start[side], factor.data) = (0, Cow::Owned(summed));
    Ok(())
}

impl<T: Clone> Product<'_, T> {
    /// Whether all three matrices lie as plain matrix products have them, and none is so narrow that packing it is most of
    /// the work: these the blocked kernel of the `gemm` crate computes 3 to 16 % faster than the engine (see
    /// `docs/results/contraction.md`).
    fn is_plain(&self) -> bool {
        let [rows, columns, inner] = [&self.rows, &self.columns, &self.inner].map(|axes| points(axes));
        (rows.min(columns) >= NARROW || inner < NARROW && self.batch.is_empty())
            && [LEFT, RIGHT].into_iter().all(|side| matrix::place(matrix::groups(self, side), side).is_some())
            && matrix::place([&self.rows, &self.columns], OUT).is_some()
    }

    /// Whether the matrices are large enough for the engine, and neighbours in memory belong to one of them.
    fn suits_engine(&self) -> bool {
        let [rows, columns, inner] = [&self.rows, &self.columns, &self.inner].map(|axes| points(axes));
        let apart = |side: usize, groups: [&[Triple]; 2]| {
            narrowest(&self.batch, side) < narrowest(groups[0], side).min(narrowest(groups[1], side))
        };
        rows.saturating_mul(columns).saturating_mul(inner) > SMALL
            && !self.is_plain()
            && ![LEFT, RIGHT].into_iter().any(|side| apart(side, matrix::groups(self, side)))
            && !apart(OUT, [&self.rows, &self.columns])
    }

    /// Whether there is no matrix product in it worth the name: too little is read twice.
    fn suits_direct(&self) -> bool {
        let (rows, columns, inner) = (points(&self.rows), points(&self.columns), points(&self.inner));
        if rows == 1 || columns == 1 || inner == 1 {
            return true;
        }
        // Many small products side by side: vectors run across the batch.
        let unit = |axis: &Triple| axis.strides.iter().all(|stride| stride.unsigned_abs() <= 1) && axis.extent >= 8;
        self.batch.iter().any(unit) && rows.saturating_mul(columns).saturating_mul(inner) <= 8 * SMALL
    }
}
