//! The element-wise engine: programs over any strides, with or without a reduction.
//!
//! Chunks run along kept axes (and reduced points follow each other, folded into a chunk) or along reduced axes
//! (and each chunk is folded into one value). Folds are pairwise trees, so that long sums stay accurate.

pub(crate) mod flat;
#[cfg(test)]
mod flat_tests;
mod folds;
mod short;
#[cfg(test)]
mod tiles_tests;

use std::ops::Range;

use smallvec::SmallVec;

use super::access::{AccessPattern, BlockAccess, PerOperand};
use super::block_schedule;
use super::evaluate::{Data, Evaluator, Input, NextChunk};
use super::fold::fold_in_pairs;
use super::fused_program::FusedProgram;
use super::loops::{Axes, Chunks, Plan, axes, runs};
use super::outer::OuterProduct;
use super::permute::Permutation;
use super::product::{LEFT, RIGHT};
use super::product_kernel::ProductKernel;
use super::registers::Registers;
use super::sink::Sink;
use super::stream::{self, Stream, is_large};
use super::tasks;
use super::tiled_schedule::{TiledSchedule, UpcomingTile};
use crate::simd::Simd;
use tensorwrapper_core::backend::function::Scalar;
use tensorwrapper_core::backend::fuse::{self, Axis, Odometer, points};
use tensorwrapper_core::backend::{Instruction, LoopNest, Operand, Output, Program, Reduction};
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::memory::zeros;

/// Points from which on it pays to copy an input that lies across the loops.
const LARGE: usize = 1 << 14;

/// `output[o] = reduction of program(inputs)`; see [`Device::map`](tensorwrapper_core::backend::Device::map).
pub(super) fn map<T: Scalar>(
    threads: usize,
    nest: &LoopNest,
    program: (&Program, &[Callback<'_>]),
    reduction: Reduction,
    inputs: &[Operand<'_>],
    output: Output<'_>,
) -> Result<(), Error> {
    map_by::<T>(Simd::chosen()?, threads, nest, program, reduction, inputs, output)
}

/// The same by these vector instructions.
pub(super) fn map_by<T: Scalar>(
    simd: Simd,
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
    if flat::run_if(simd, nest, (program, reduction), inputs, (&mut *out, layout)) {
        return Ok(());
    }
    let threads = if fuse::is_injective(layout.extents(), layout.strides()) { threads } else { 1 };
    let (kept, reduced, start) = axes(nest, inputs, layout);
    let out = Sink::new(out);
    if let ([Instruction::Input(n)], true) = (program.instructions(), points(&reduced) == 1) {
        let pair = |strides: &[isize]| [strides[*n], strides[inputs.len()]];
        let axes = kept.iter().map(|axis| Axis { extent: axis.extent, strides: pair(&axis.strides) }).collect();
        let permutation = Permutation::new(axes, size_of::<T>());
        permutation.run_by(simd, threads, pair(&start), inputs[*n].typed::<T>(), out, inputs[*n].conjugate);
        return Ok(());
    }
    if let Some(outer) = OuterProduct::of_program(simd, [&kept, &reduced].map(Vec::as_slice), program, inputs, &start)
        && fuse::is_injective(layout.extents(), layout.strides())
    {
        let data = [LEFT, RIGHT].map(|side| T::typed(inputs[side].data()).expect("inputs are of the output's element type"));
        // SAFETY: operands and output lie inside their memory, and the output is borrowed here alone.
        return unsafe { outer.run(threads, data, out) };
    }
    let ready = FusedProgram::new(program);
    let in_memory = match program.instructions() {
        [Instruction::Input(n)] if !(inputs[*n].conjugate && T::DTYPE.is_complex()) => {
            Plan::of_memory::<T>(&kept, &reduced, inputs.len(), *n)
        }
        _ => None,
    };
    let mut plan = in_memory.unwrap_or_else(|| Plan::choose(kept, reduced, inputs.len(), Chunks::of_program(ready.width::<T>())));
    let all = plan.kept.points().saturating_mul(plan.reduced.points());
    let is_own = |n: usize| inputs[n].data().dtype() == T::DTYPE;
    let crossed: SmallVec<[bool; 4]> = (0..inputs.len()).map(|n| all >= LARGE && plan.crosses(n) && is_own(n)).collect();
    let own: SmallVec<[Option<&[T]>; 4]> = inputs.iter().map(|input| T::typed(input.data())).collect();
    let streams = is_large(layout.len().saturating_mul(size_of::<T>()));
    let run = |threads: usize,
               plan: &Plan,
               (start, out): (&[isize], Sink<'_, T>),
               packed: &[Option<Vec<T>>],
               coming: &[UpcomingTile<'_, T>]| {
        // What is packed is read instead of what it was packed from.
        let data = |n: usize| match (packed.get(n), own[n]) {
            (Some(Some(packed)), _) => Data::Own(&packed[..]),
            (_, Some(data)) => Data::Own(data),
            (_, None) => Data::Other(inputs[n].data()),
        };
        let conjugate = |n: usize| inputs[n].conjugate && T::DTYPE.is_complex();
        let memory = (0..inputs.len()).map(|n| Input { data: data(n), conjugate: conjugate(n) }).collect();
        let evaluator = Evaluator::new(simd, &ready, functions, memory, plan.chunked());
        let (kept, reduced, has_lines) = (plan.kept.axes(), plan.reduced.axes(), evaluator.has_lines(start));
        Map {
            simd,
            plan,
            kept,
            reduced,
            evaluator,
            has_lines,
            reduction,
            start: PerOperand::from_slice(start),
            out,
            streams,
            coming,
        }
        .run(threads);
    };
    if crossed.contains(&true) {
        if let Some(parts) = block_schedule::parts(&plan, &start, &crossed, size_of::<T>()) {
            parts.iter().for_each(|part| run(threads, &part.plan, (&part.start, out), &[], &[]));
            return Ok(());
        }
        let mut schedule = TiledSchedule::new(plan, crossed.into_vec());
        let tiles = |schedule: &TiledSchedule, start: &[isize], out: Sink<'_, T>| {
            schedule.run(threads, start, &own, |threads, tile, packed| {
                run(threads, &tile.plan, (&tile.start, out), packed, &tile.coming);
            })
        };
        if schedule.folds() == 1 {
            return tiles(&schedule, &start, out);
        }
        let output = inputs.len();
        let kept = schedule.in_rows(output);
        let len = points(&kept);
        let mut rows = zeros::<T>(len * schedule.folds())?;
        let mut first = start.clone();
        first[output] = 0;
        tiles(&schedule, &first, Sink::new(&mut rows))?;
        fold_in_pairs(simd, reduction, &mut rows, len);
        let mut walk = Odometer::new(&kept, &start, 0);
        for &value in &rows[..len] {
            // SAFETY: the output is borrowed here alone, and all its positions lie inside (see `Output::new`).
            unsafe { out.write(walk.position[output], value) };
            walk.step();
        }
        return Ok(());
    }
    run(threads, &plan, (&start, out), &[], &[]);
    Ok(())
}

struct Map<'a, T> {
    simd: Simd,
    plan: &'a Plan,
    /// All kept axes.
    kept: Axes,
    /// All reduced axes.
    reduced: Axes,
    evaluator: Evaluator<'a, T>,
    /// Whether most of what chunks read begins at cache lines.
    has_lines: bool,
    reduction: Reduction,
    start: PerOperand,
    out: Sink<'a, T>,
    /// Whether the result is so large that it is written past the caches.
    streams: bool,
    /// What is asked for on the way.
    coming: &'a [UpcomingTile<'a, T>],
}

impl<T: Scalar> Map<'_, T> {
    fn run(&self, threads: usize) {
        let Plan { kept, reduced, along_kept } = self.plan;
        let operations = kept.points().saturating_mul(reduced.points());
        let threads = tasks::worth(threads, operations);
        let outputs = if *along_kept { kept.chunks() } else { kept.points() };
        // Where there are too few outputs to share out, every output is computed by all threads.
        let (outside, inside) = if outputs >= threads { (threads, 1) } else { (1, threads) };
        tasks::split(outside, outputs, operations, &|range| {
            if *along_kept { self.along_kept(range, inside) } else { self.along_reduced(range, inside) }
        });
    }

    /// Each chunk of kept points, of a range of chunks.
    fn along_kept(&self, range: Range<usize>, threads: usize) {
        let (output, grid) = (self.start.len() - 1, &self.plan.kept);
        let access = if grid.points() == 1 { AccessPattern::Contiguous } else { grid.access(output) };
        let contiguous = access == AccessPattern::Contiguous;
        match access {
            AccessPattern::Contiguous if self.plan.reduced.points() == 1 => return self.each(range, None),
            AccessPattern::Block(block) if block.has_rows() && self.plan.reduced.points() == 1 => {
                return self.each(range, Some(block));
            }
            _ => {}
        }
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
            self.fold_chunk(&mut registers, (start, first), 0..self.plan.reduced.points(), threads, target);
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

    /// Each chunk of a range whose outputs are contiguous, or rows of a block, and where nothing is reduced.
    fn each(&self, range: Range<usize>, block: Option<BlockAccess>) {
        let (output, grid) = (self.start.len() - 1, &self.plan.kept);
        let chunks = grid.chunks();
        let mut registers = self.evaluator.registers(grid.width);
        let pieces = block.map_or(1, |block| block.rows);
        // One for each row: what ends within a line goes on in the next block.
        let mut streams: Vec<Stream> = (0..if self.streams { pieces } else { 0 }).map(|_| Stream::new(self.simd)).collect();
        let mut walk = grid.walk(&self.start, range.start);
        // One chunk further, and after the last one back at the first.
        let mut next = grid.walk(&self.start, (range.start + 1) % chunks);
        for number in range {
            let (start, first, len) = (walk.start(), walk.first(), walk.len());
            let ahead = Some(NextChunk { start: next.start(), first: next.first(), len: next.len() });
            let to = start[output] + first as isize;
            let (piece, apart) = block.map_or((len, 0), |block| (block.columns, block.row));
            let rows = |from: isize| (0..pieces as isize).map(move |row| from + row * apart);
            self.coming.iter().for_each(|coming| coming.ask(number, chunks));
            if !self.streams && block.is_none() {
                // SAFETY: the outputs of this chunk belong to this task alone and lie inside (see `Output::new`).
                let target = unsafe { self.out.slice(to, len) };
                self.chunk(&mut registers, (start, first, len), Some(target), ahead);
            } else {
                let coming = next.start()[output] + next.first() as isize;
                if self.streams && coming != to + piece as isize {
                    let row = |row: isize| self.out.base().wrapping_offset(row).cast_const();
                    rows(coming).for_each(|at| stream::ask(row(at), next.len() / pieces));
                }
                self.chunk(&mut registers, (start, first, len), None, ahead);
                let values = self.evaluator.values(&registers, len);
                if self.streams {
                    // SAFETY: as above; there are as many values. A line may reach into the next chunk, so no slice ends here.
                    unsafe { Stream::push(&mut streams, values, apart, self.out.address(to)) };
                } else {
                    for (to, values) in rows(to).zip(values.chunks(piece)) {
                        // SAFETY: as above.
                        unsafe { self.out.slice(to, piece) }.copy_from_slice(values);
                    }
                }
            }
            walk.step();
            next.step();
        }
        for stream in &mut streams {
            // SAFETY: as above.
            unsafe { stream.finish() };
        }
    }

    /// A chunk of the program's values, written to memory or left in registers.
    fn chunk(
        &self,
        registers: &mut Registers<T>,
        at: (&[isize], usize, usize),
        target: Option<&mut [T]>,
        ahead: Option<NextChunk<'_>>,
    ) {
        // Registers begin at lines.
        let is_wide = target.is_none() && self.has_lines;
        self.evaluator.run_into(registers, at, target, ahead, is_wide);
    }
}
