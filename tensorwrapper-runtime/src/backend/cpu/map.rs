//! The element-wise engine: programs over any strides, with or without a reduction.
//!
//! Chunks run along kept axes (and reduced points follow each other, folded into a chunk) or along reduced axes
//! (and each chunk is folded into one value). Folds are pairwise trees, so that long sums stay accurate.

use std::borrow::Cow;
use std::ops::Range;

use super::evaluate::{Data, Evaluator, Input, Lie, Registers, runs};
use super::fuse::{self, Axis, Odometer, points};
use super::loops::{Axes, Plan};
use super::permute;
use super::sink::Sink;
use super::tasks;
use crate::backend::function::Scalar;
use crate::backend::reduce::{maximum, minimum};
use crate::backend::{Instruction, LoopNest, Operand, Output, Program, Reduction};
use crate::callback::Callback;
use crate::erased::zeros;
use crate::error::Error;
use crate::layout::Strided;

/// Reduced points, or chunks of them, folded one after the other at the leaves of the tree.
const LEAF: usize = 32;
/// Points from which on it pays to copy an input that lies across the loops.
const LARGE: usize = 1 << 14;
/// Elements of such an input that are copied at a time.
const SLAB: usize = 1 << 18;

/// `output[o] = reduction of program(inputs)`; see [`Device::map`](crate::backend::Device::map).
pub(super) fn map<T: Scalar>(
    threads: usize,
    nest: &LoopNest,
    (program, functions): (&Program, &[Callback<'_>]),
    reduction: Reduction,
    inputs: &[Operand<'_>],
    output: Output<'_>,
) -> Result<(), Error> {
    reduction.check::<T>()?;
    let (out, layout) = output.typed::<T>();
    if layout.is_empty() {
        return Ok(());
    }
    if nest.reduced_extents().contains(&0) {
        let nothing = reduction.of_nothing()?;
        layout.positions().for_each(|position| out[position] = nothing);
        return Ok(());
    }
    let inputs = &inputs[..program.inputs()];
    let threads = if fuse::is_injective(layout.extents(), layout.strides()) { threads } else { 1 };
    let (kept, reduced, start) = axes(nest, inputs, layout);
    let out = Sink::new(out);
    if let ([Instruction::Input(n)], true) = (program.instructions(), points(&reduced) == 1) {
        let pair = |strides: &[isize]| [strides[*n], strides[inputs.len()]];
        let axes = kept.iter().map(|axis| Axis { extent: axis.extent, strides: pair(&axis.strides) }).collect();
        permute::copy(threads, axes, pair(&start), inputs[*n].typed::<T>(), out, inputs[*n].conjugate);
        return Ok(());
    }
    let mut plan = Plan::choose(kept, reduced, inputs.len());
    let all = plan.kept.points().saturating_mul(plan.reduced.points());
    let is_own = |n: usize| inputs[n].data().dtype() == T::DTYPE;
    let crossed: Vec<bool> = (0..inputs.len()).map(|n| all >= LARGE && plan.crosses(n) && is_own(n)).collect();
    // Inputs that lie across are packed slab by slab, so that the packed elements are still in a cache when they are used.
    let extent = if crossed.contains(&true) { plan.kept.outer.first().map_or(1, |axis| axis.extent) } else { 1 };
    let rows = (SLAB / (all / extent)).clamp(1, extent);
    for first in (0..extent).step_by(rows) {
        let (mut plan, mut start) = (plan.clone(), start.clone());
        if let Some(axis) = plan.kept.outer.first_mut().filter(|_| extent > 1) {
            axis.extent = rows.min(extent - first);
            start.iter_mut().zip(&axis.strides).for_each(|(start, stride)| *start += first as isize * stride);
        }
        let mut ready = Vec::with_capacity(inputs.len());
        for (n, input) in inputs.iter().enumerate() {
            let data = match T::typed(input.data()) {
                Some(data) if crossed[n] => Data::Own(Cow::Owned(pack(threads, &mut plan, n, data, &mut start[n])?)),
                Some(data) => Data::Own(Cow::Borrowed(data)),
                None => Data::Other(input.data()),
            };
            ready.push(Input { data, conjugate: input.conjugate && T::DTYPE.is_complex() });
        }
        let evaluator = Evaluator::new(program, functions, ready, &plan.chunked().inner);
        let (kept, reduced) = (plan.kept.axes(), plan.reduced.axes());
        Map { plan: &plan, kept, reduced, evaluator, reduction, start, out }.run(threads);
    }
    Ok(())
}

/// Kept and reduced axes over the inputs and the output, none of them backwards where that can be, and the first positions.
fn axes(nest: &LoopNest, inputs: &[Operand<'_>], output: &Strided) -> (Axes, Axes, Vec<isize>) {
    let offsets = inputs.iter().map(|input| input.layout()).chain([output]).map(|layout| layout.offset() as isize);
    let mut start: Vec<isize> = offsets.collect();
    let axis = |n: usize| {
        let out = output.strides().get(n).copied().unwrap_or(0);
        let strides = inputs.iter().map(|input| input.layout().strides()[n]).chain([out]).collect();
        Axis { extent: nest.extents()[n], strides }
    };
    let mut kept: Axes = (0..nest.kept()).map(axis).collect();
    let mut reduced: Axes = (nest.kept()..nest.rank()).map(axis).collect();
    fuse::forward(&mut kept, &mut start, inputs.len());
    (0..inputs.len()).rev().for_each(|input| fuse::forward(&mut reduced, &mut start, input));
    (kept, reduced, start)
}

/// Copies an input into the order of the loops.
fn pack<T: Scalar>(threads: usize, plan: &mut Plan, input: usize, data: &[T], start: &mut isize) -> Result<Vec<T>, Error> {
    let mut axes = Vec::new();
    let mut stride = 1;
    for axis in plan.axes().rev().filter(|axis| axis.strides[input] != 0) {
        axes.push(Axis { extent: axis.extent, strides: [axis.strides[input], stride] });
        axis.strides[input] = stride;
        stride *= axis.extent as isize;
    }
    let mut packed = zeros::<T>(stride as usize)?;
    permute::copy(threads, axes, [*start, 0], data, Sink::new(&mut packed), false);
    *start = 0;
    Ok(packed)
}

struct Map<'a, T: Clone> {
    plan: &'a Plan,
    /// All kept axes.
    kept: Axes,
    /// All reduced axes.
    reduced: Axes,
    evaluator: Evaluator<'a, T>,
    reduction: Reduction,
    start: Vec<isize>,
    out: Sink<'a, T>,
}

impl<T: Scalar> Map<'_, T> {
    fn run(&self, threads: usize) {
        let Plan { kept, reduced, along_kept } = self.plan;
        let operations = kept.points().saturating_mul(reduced.points());
        let threads = tasks::worth(threads, operations);
        let outputs = if *along_kept { kept.chunks() } else { kept.points() };
        // Where there are too few outputs to share out, every output is computed by all threads.
        let (outside, inside) = if outputs >= threads { (threads, 1) } else { (1, threads) };
        tasks::split(outside, outputs, operations, |range| {
            if *along_kept { self.along_kept(range, inside) } else { self.along_reduced(range, inside) }
        });
    }

    /// Each chunk of kept points, of a range of chunks.
    fn along_kept(&self, range: Range<usize>, threads: usize) {
        let (output, grid) = (self.start.len() - 1, &self.plan.kept);
        let contiguous = grid.points() == 1 || Lie::of(&grid.inner, output) == Lie::Contiguous;
        let single = self.plan.reduced.points() == 1;
        let mut registers = self.evaluator.registers(grid.width);
        let mut folded = vec![T::ZERO; if contiguous { 0 } else { grid.width }];
        let mut walk = grid.walk(&self.start, range.start);
        for _ in range {
            let (start, first, len) = (walk.start(), walk.first(), walk.len());
            let target = if contiguous {
                // SAFETY: the outputs of this chunk belong to this task alone and lie inside (see `Output::new`).
                unsafe { self.out.slice(start[output] + first as isize, len) }
            } else {
                &mut folded[..len]
            };
            if single {
                self.evaluator.run_into(&mut registers, start, first, target);
            } else {
                let reduced = 0..self.plan.reduced.points();
                self.fold_chunk(&mut registers, (start, first), reduced, threads, target);
            }
            if !contiguous {
                runs(&grid.inner, output, start[output], first, len, |position, stride, range| {
                    for (n, &value) in folded[range].iter().enumerate() {
                        // SAFETY: as above.
                        unsafe { self.out.write(position + n as isize * stride, value) };
                    }
                });
            }
            walk.step();
        }
    }

    /// Folds a range of the reduced points for one chunk of kept ones, given by its start and its first point.
    fn fold_chunk(
        &self,
        registers: &mut Registers<T>,
        chunk: (&[isize], usize),
        range: Range<usize>,
        threads: usize,
        target: &mut [T],
    ) {
        if let Some((left, right)) = halves(&range) {
            let mut other = vec![T::ZERO; target.len()];
            if threads > 1 {
                let mut own = self.evaluator.registers(target.len());
                rayon::join(
                    || self.fold_chunk(registers, chunk, left, threads.div_ceil(2), target),
                    || self.fold_chunk(&mut own, chunk, right, threads / 2, &mut other),
                );
            } else {
                self.fold_chunk(registers, chunk, left, 1, target);
                self.fold_chunk(registers, chunk, right, 1, &mut other);
            }
            return combine(self.reduction, target, &other);
        }
        let (start, first) = chunk;
        let mut walk = Odometer::new(&self.reduced, &start.to_vec(), range.start);
        self.evaluator.run_into(registers, &walk.position, first, target);
        for _ in range.skip(1) {
            walk.step();
            combine(self.reduction, target, self.evaluator.run(registers, &walk.position, first, target.len()));
        }
    }

    /// Each kept point of a range.
    fn along_reduced(&self, range: Range<usize>, threads: usize) {
        let mut registers = self.evaluator.registers(self.plan.reduced.width);
        let mut walk = Odometer::new(&self.kept, &self.start, range.start);
        for _ in range {
            let value = self.fold_value(&mut registers, &walk.position, 0..self.plan.reduced.chunks(), threads);
            // SAFETY: the outputs of these points belong to this task alone and lie inside (see `Output::new`).
            unsafe { self.out.write(walk.position[self.start.len() - 1], value) };
            walk.step();
        }
    }

    /// Folds a range of the chunks of reduced points into one value.
    fn fold_value(&self, registers: &mut Registers<T>, start: &[isize], range: Range<usize>, threads: usize) -> T {
        if let Some((left, right)) = halves(&range) {
            let (left, right) = if threads > 1 {
                let mut own = self.evaluator.registers(self.plan.reduced.width);
                rayon::join(
                    || self.fold_value(registers, start, left, threads.div_ceil(2)),
                    || self.fold_value(&mut own, start, right, threads / 2),
                )
            } else {
                (self.fold_value(registers, start, left, 1), self.fold_value(registers, start, right, 1))
            };
            return self.reduction.combine(left, right);
        }
        let mut walk = self.plan.reduced.walk(start, range.start);
        let values = range.map(|_| {
            let values = self.evaluator.run(registers, walk.start(), walk.first(), walk.len());
            let value = fold_all(self.reduction, values);
            walk.step();
            value
        });
        values.reduce(|a, b| self.reduction.combine(a, b)).expect("a leaf is not empty")
    }
}

/// The two halves of a range that is more than a leaf of the tree.
fn halves(range: &Range<usize>) -> Option<(Range<usize>, Range<usize>)> {
    let middle = range.start + (range.len() / 2).next_multiple_of(LEAF);
    if range.len() > LEAF { Some((range.start..middle, middle..range.end)) } else { None }
}

/// Folds values into a chunk of results.
fn combine<T: Scalar>(reduction: Reduction, folded: &mut [T], values: &[T]) {
    fn each<T: Copy>(folded: &mut [T], values: &[T], operation: impl Fn(T, T) -> T) {
        for (folded, &value) in folded.iter_mut().zip(values) {
            *folded = operation(*folded, value);
        }
    }
    match reduction {
        Reduction::Sum => each(folded, values, |a, b| a + b),
        Reduction::Product => each(folded, values, |a, b| a * b),
        Reduction::Max => each(folded, values, maximum),
        Reduction::Min => each(folded, values, minimum),
    }
}

/// Folds a chunk, which is not empty, into one value.
fn fold_all<T: Scalar>(reduction: Reduction, values: &[T]) -> T {
    match reduction {
        Reduction::Sum => fold(values, |a, b| a + b),
        Reduction::Product => fold(values, |a, b| a * b),
        Reduction::Max => fold(values, maximum),
        Reduction::Min => fold(values, minimum),
    }
}

/// Folds a chunk, which is not empty: eight running results, then those.
fn fold<T: Copy>(values: &[T], operation: impl Fn(T, T) -> T) -> T {
    const LANES: usize = 8;
    let Some((first, rest)) = values.split_first_chunk::<LANES>() else {
        return values[1..].iter().fold(values[0], |a, &b| operation(a, b));
    };
    let mut lanes = *first;
    let mut eights = rest.chunks_exact(LANES);
    for eight in &mut eights {
        for (lane, &value) in lanes.iter_mut().zip(eight) {
            *lane = operation(*lane, value);
        }
    }
    let mut width = LANES / 2;
    while width > 0 {
        for n in 0..width {
            lanes[n] = operation(lanes[n], lanes[n + width]);
        }
        width /= 2;
    }
    eights.remainder().iter().fold(lanes[0], |a, &b| operation(a, b))
}
