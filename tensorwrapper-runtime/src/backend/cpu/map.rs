//! The element-wise engine: programs over any strides, with or without a reduction.
//!
//! Chunks run along kept axes (and reduced points follow each other, folded into a chunk) or along reduced axes
//! (and each chunk is folded into one value). Folds are pairwise trees, so that long sums stay accurate.

use std::ops::Range;

use super::evaluate::{CHUNK, Evaluator, Lie, Registers, runs};
use super::fuse::{self, Axis, Odometer, points};
use super::permute;
use super::sink::Sink;
use super::tasks;
use crate::backend::function::Scalar;
use crate::backend::reduce::{maximum, minimum};
use crate::backend::{Instruction, LoopNest, Operand, Output, Program, Reduction};
use crate::error::Error;

/// Reduced points folded one after the other at the leaves of the tree.
const LEAF: usize = 64;

/// Axes over the inputs in their order, then the output.
type Axes = Vec<Axis<Vec<isize>>>;

/// `output[o] = reduction of program(inputs)`; see [`Device::map`](crate::backend::Device::map).
pub(super) fn map<T: Scalar>(
    threads: usize,
    nest: &LoopNest,
    program: &Program,
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
    let mut start: Vec<isize> = inputs.iter().map(|input| input.layout().offset() as isize).collect();
    start.push(layout.offset() as isize);
    let axis = |n: usize| Axis {
        extent: nest.extents()[n],
        strides: inputs
            .iter()
            .map(|input| input.layout().strides()[n])
            .chain([layout.strides().get(n).copied().unwrap_or(0)])
            .collect(),
    };
    let mut kept: Axes = (0..nest.kept()).map(axis).collect();
    let mut reduced: Axes = (nest.kept()..nest.rank()).map(axis).collect();
    fuse::forward(&mut kept, &mut start, inputs.len());
    (0..inputs.len()).rev().for_each(|input| fuse::forward(&mut reduced, &mut start, input));
    let out = Sink::new(out);

    if let ([Instruction::Input(n)], true) = (program.instructions(), points(&reduced) == 1) {
        let pair = |strides: &[isize]| [strides[*n], strides[inputs.len()]];
        let axes = kept.iter().map(|axis| Axis { extent: axis.extent, strides: pair(&axis.strides) }).collect();
        permute::copy(threads, axes, pair(&start), inputs[*n].typed::<T>(), out, inputs[*n].conjugate);
        return Ok(());
    }
    let plan = Plan::choose(kept, reduced, inputs.len());
    let axes = if plan.along_kept { &plan.kept } else { &plan.reduced };
    let evaluator = Evaluator::new(program, inputs, axes);
    Map { plan: &plan, evaluator, reduction, start, out }.run(threads);
    Ok(())
}

/// The order of the loops.
struct Plan {
    kept: Axes,
    reduced: Axes,
    /// Whether chunks run along kept axes, or along reduced ones.
    along_kept: bool,
}

impl Plan {
    /// Tries every operand's own order of the axes, and chunks along either kind.
    fn choose(kept: Axes, reduced: Axes, output: usize) -> Plan {
        let best = |axes: &Axes| {
            let orders = (0..=output).rev().map(|first| {
                let mut axes = axes.clone();
                let priority: Vec<usize> = [first].into_iter().chain((0..=output).rev()).collect();
                fuse::normalise(&mut axes, &priority);
                (cost(&axes, output), axes)
            });
            // The first of equals: the output's order.
            orders.reduce(|best, next| if next.0 < best.0 { next } else { best }).expect("there is an output")
        };
        let ((kept_cost, kept), (reduced_cost, reduced)) = (best(&kept), best(&reduced));
        let along_kept = points(&reduced) == 1 || (points(&kept) > 1 && kept_cost <= reduced_cost);
        Plan { kept, reduced, along_kept }
    }
}

/// Rough time for one element when chunks run along these axes.
fn cost(axes: &Axes, output: usize) -> f64 {
    let access = |operand: usize| match (Lie::of(axes, operand), axes.last()) {
        (Lie::Constant, _) | (_, None) => 0.05,
        (Lie::Contiguous, _) => 0.1,
        (Lie::Strided, Some(inner)) => match inner.strides[operand].unsigned_abs() {
            0 | 1 => 0.3 + 2.0 / inner.extent as f64,
            stride => 1.0 + 2.0 / inner.extent as f64 + (stride as f64 / 64.0).min(3.0),
        },
    };
    (0..=output).map(access).sum::<f64>() + 40.0 / points(axes).min(CHUNK) as f64
}

struct Map<'a, T> {
    plan: &'a Plan,
    evaluator: Evaluator<'a, T>,
    reduction: Reduction,
    start: Vec<isize>,
    out: Sink<'a, T>,
}

impl<T: Scalar> Map<'_, T> {
    fn run(&self, threads: usize) {
        let (kept, reduced) = (points(&self.plan.kept), points(&self.plan.reduced));
        let operations = kept.saturating_mul(reduced);
        let threads = tasks::worth(threads, operations);
        let chunks = if self.plan.along_kept { kept.div_ceil(CHUNK) } else { kept };
        // Where there are too few outputs to share out, every output is computed by all threads.
        let (outside, inside) = if chunks >= threads { (threads, 1) } else { (1, threads) };
        tasks::split(outside, chunks, operations, |range| {
            if self.plan.along_kept {
                self.along_kept(range.start * CHUNK..kept.min(range.end * CHUNK), inside);
            } else {
                self.along_reduced(range, inside);
            }
        });
    }

    fn along_kept(&self, range: Range<usize>, threads: usize) {
        let output = self.start.len() - 1;
        let contiguous = Lie::of(&self.plan.kept, output) == Lie::Contiguous || range.len() == 1;
        let reduced = points(&self.plan.reduced);
        let mut registers = self.evaluator.registers(range.len().min(CHUNK));
        let mut folded = vec![T::ZERO; if contiguous { 0 } else { range.len().min(CHUNK) }];
        for first in range.clone().step_by(CHUNK) {
            let len = CHUNK.min(range.end - first);
            let target = if contiguous {
                let position = self.position(first);
                // SAFETY: the outputs of these points belong to this task alone and lie inside (see `Output::new`).
                unsafe { self.out.slice(position, len) }
            } else {
                &mut folded[..len]
            };
            if reduced == 1 {
                self.evaluator.run_into(&mut registers, &self.start, first, target);
            } else {
                self.fold_chunk(&mut registers, first, 0..reduced, threads, target);
            }
            if !contiguous {
                runs(&self.plan.kept, output, self.start[output], first, len, |position, stride, range| {
                    for (n, &value) in folded[range].iter().enumerate() {
                        // SAFETY: as above.
                        unsafe { self.out.write(position + n as isize * stride, value) };
                    }
                });
            }
        }
    }

    /// Where the output of a point of the kept axes lies.
    fn position(&self, point: usize) -> isize {
        Odometer::new(&self.plan.kept, &self.start, point).position[self.start.len() - 1]
    }

    /// Folds a range of the reduced points for one chunk of kept ones.
    fn fold_chunk(&self, registers: &mut Registers<T>, first: usize, range: Range<usize>, threads: usize, target: &mut [T]) {
        if range.len() > LEAF {
            let middle = range.start + (range.len() / 2).next_multiple_of(LEAF);
            let (left, right) = (range.start..middle, middle..range.end);
            let mut other = vec![T::ZERO; target.len()];
            if threads > 1 {
                let mut own = self.evaluator.registers(target.len());
                rayon::join(
                    || self.fold_chunk(registers, first, left, threads.div_ceil(2), target),
                    || self.fold_chunk(&mut own, first, right, threads / 2, &mut other),
                );
            } else {
                self.fold_chunk(registers, first, left, 1, target);
                self.fold_chunk(registers, first, right, 1, &mut other);
            }
            return combine(self.reduction, target, &other);
        }
        let mut walk = Odometer::new(&self.plan.reduced, &self.start, range.start);
        self.evaluator.run_into(registers, &walk.position, first, target);
        for _ in range.skip(1) {
            walk.step();
            combine(self.reduction, target, self.evaluator.run(registers, &walk.position, first, target.len()));
        }
    }

    fn along_reduced(&self, range: Range<usize>, threads: usize) {
        let reduced = points(&self.plan.reduced);
        let mut registers = self.evaluator.registers(reduced.min(CHUNK));
        let mut walk = Odometer::new(&self.plan.kept, &self.start, range.start);
        for _ in range {
            let value = self.fold_value(&mut registers, &walk.position, 0..reduced, threads);
            // SAFETY: the outputs of these points belong to this task alone and lie inside (see `Output::new`).
            unsafe { self.out.write(walk.position[self.start.len() - 1], value) };
            walk.step();
        }
    }

    /// Folds a range of the reduced points into one value.
    fn fold_value(&self, registers: &mut Registers<T>, start: &Vec<isize>, range: Range<usize>, threads: usize) -> T {
        if range.len() > CHUNK {
            let middle = range.start + (range.len() / 2).next_multiple_of(CHUNK);
            let (left, right) = (range.start..middle, middle..range.end);
            let (left, right) = if threads > 1 {
                let mut own = self.evaluator.registers(CHUNK);
                rayon::join(
                    || self.fold_value(registers, start, left, threads.div_ceil(2)),
                    || self.fold_value(&mut own, start, right, threads / 2),
                )
            } else {
                (self.fold_value(registers, start, left, 1), self.fold_value(registers, start, right, 1))
            };
            return self.reduction.combine(left, right);
        }
        let values = self.evaluator.run(registers, start, range.start, range.len());
        match self.reduction {
            Reduction::Sum => fold(values, |a, b| a + b),
            Reduction::Product => fold(values, |a, b| a * b),
            Reduction::Max => fold(values, maximum),
            Reduction::Min => fold(values, minimum),
        }
    }
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

/// Folds a chunk, which is not empty, into one value: eight running results, then those.
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
