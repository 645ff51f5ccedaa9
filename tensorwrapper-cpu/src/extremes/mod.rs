//! Where the values of a program are largest or smallest along an axis: where they lie, if they are the elements of one tensor in C order,
//! and otherwise computed in pieces that stay in the nearest caches.

mod loops;
mod pieces;
#[cfg(test)]
mod tests;

pub use loops::{best, first, first_of_columns, first_of_lines};

use num_complex::Complex;

use self::pieces::{PIECE, Piece, pieces};
use super::map;
use super::simd::Simd;
use tensorwrapper_core::backend::function::Scalar;
use tensorwrapper_core::backend::{Instruction, LoopNest, Operand, Output, Program, Reduction};
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::thread_pool;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::Owned;

/// Elements from which on several threads look through them.
const MANY: usize = 1 << 17;

/// The kernel of the processor's [`FindPlaces`](tensorwrapper_core::backend::FindPlaces), for real numbers.
///
/// # Errors
/// No index along the reduced axis, and memory.
pub(super) fn find<T: Scalar + PartialOrd>(
    threads: (Simd, usize),
    nest: &LoopNest,
    values: (&Program, &[Callback<'_>]),
    extreme: Reduction,
    inputs: &[Operand<'_>],
    output: Output<'_>,
) -> Result<(), Error> {
    extreme.check_over::<T>(nest)?;
    let (data, layout) = output.typed::<T>();
    if layout.is_empty() {
        return Ok(());
    }
    let (kept, reduced) = nest.extents().split_at(nest.kept());
    let (lines, extent) = (layout.len(), reduced[0]);
    let search = Search { threads, kept, extent, values, inputs };
    let run = |to: &mut [T]| match extreme {
        Reduction::Max => search.run(to, |x, y| x > y),
        _ => search.run(to, |x, y| x < y),
    };
    if layout.is_row_major() {
        return run(&mut data[layout.start()..][..lines]);
    }
    let mut found = Owned::filled(lines, T::ZERO)?;
    run(&mut found)?;
    layout.positions().zip(found.iter()).for_each(|(position, &at)| data[position] = at);
    Ok(())
}

/// Elements that [`find`] keeps beside its operands, apart from a few pieces: a result that is not in C order is made in that order first.
pub(super) fn space(output: &Strided) -> usize {
    if output.is_row_major() { 0 } else { output.len() }
}

/// An index as an element.
#[inline(always)]
fn number<T: Scalar>(at: usize) -> T {
    T::from_complex(Complex::new(at as f64, 0.0))
}

/// What is looked through.
struct Search<'s> {
    /// The instructions of the processor, and how many threads there are.
    threads: (Simd, usize),
    /// The extents of the output.
    kept: &'s [usize],
    /// The extent of the axis that is looked along.
    extent: usize,
    values: (&'s Program, &'s [Callback<'s>]),
    inputs: &'s [Operand<'s>],
}

impl Search<'_> {
    fn run<T: Scalar>(&self, to: &mut [T], is_ahead: impl Fn(T, T) -> bool + Copy + Sync) -> Result<(), Error> {
        let wanted = if to.len().saturating_mul(self.extent) < MANY { 1 } else { self.threads.1 };
        match self.in_order::<T>() {
            // A line that is long is looked through in parts, whose places are compared afterwards.
            Some((elements, 1)) if self.extent > PIECE => {
                for (to, line) in to.iter_mut().zip(elements.chunks_exact(self.extent)) {
                    *to = number(first_of_parts(line, wanted, is_ahead));
                }
                Ok(())
            }
            Some((elements, 1)) => {
                let rows = (PIECE / self.extent).max(1);
                let mut pieces: Vec<_> = to.chunks_mut(rows).zip(elements.chunks(rows * self.extent)).collect();
                thread_pool::each_mut(wanted, &mut pieces, &|(to, elements)| {
                    first_of_lines((elements, self.extent), to, is_ahead, number);
                });
                Ok(())
            }
            Some((elements, columns)) => self.in_columns((elements, columns), to, wanted, is_ahead),
            None => {
                let pieces = pieces(self.kept, self.extent, to).into_iter();
                each(wanted, pieces, &|piece| self.computed(piece, is_ahead))
            }
        }
    }

    /// Blocks of rows, one after the other, are looked through column by column: some columns of one block at a time, or some blocks.
    fn in_columns<T: Scalar>(
        &self,
        (elements, columns): (&[T], usize),
        to: &mut [T],
        wanted: usize,
        is_ahead: impl Fn(T, T) -> bool + Copy + Sync,
    ) -> Result<(), Error> {
        let size = columns * self.extent;
        if columns > PIECE / 8 {
            for (to, block) in to.chunks_mut(columns).zip(elements.chunks_exact(size)) {
                let parts = to.chunks_mut(PIECE / 8).enumerate();
                each(wanted, parts, &|(n, to)| {
                    let mut best = Owned::filled(to.len(), T::NOTHING)?;
                    first_of_columns((&block[*n * (PIECE / 8)..], columns), to, &mut best, is_ahead, number);
                    Ok(())
                })?;
            }
            return Ok(());
        }
        let blocks = (PIECE / size).max(1);
        let parts = to.chunks_mut(columns * blocks).zip(elements.chunks(size * blocks));
        each(wanted, parts, &|(to, elements)| {
            let mut best = Owned::filled(columns, T::NOTHING)?;
            for (to, block) in to.chunks_mut(columns).zip(elements.chunks_exact(size)) {
                first_of_columns((block, columns), to, &mut best, is_ahead, number);
            }
            Ok(())
        })
    }

    /// The elements, if the values are those of a tensor in C order but for the axis that is looked along, and how many columns lie side by
    /// side behind that axis: 1 where it is the last.
    fn in_order<T: Scalar>(&self) -> Option<(&[T], usize)> {
        let ([Instruction::Input(0)], [input, ..]) = (self.values.0.instructions(), self.inputs) else { return None };
        let strides = input.layout().strides();
        let behind = (0..=self.kept.len()).rev().find(|&place| {
            // The axes in memory, the last one first.
            let axes = (place..self.kept.len()).rev().chain([self.kept.len()]).chain((0..place).rev());
            let mut step = 1;
            axes.into_iter().all(|axis| {
                let extent = self.kept.get(axis).copied().unwrap_or(self.extent);
                let is_next = extent == 1 || strides[axis] == step;
                step *= extent as isize;
                is_next
            })
        })?;
        let total = self.kept.iter().product::<usize>() * self.extent;
        let elements = &input.typed::<T>()[input.layout().start()..][..total];
        Some((elements, self.kept[behind..].iter().product()))
    }

    /// Computes the values of a piece and finds their places. The values of a long line are computed some at a time.
    fn computed<T: Scalar>(&self, piece: &mut Piece<'_, T>, is_ahead: impl Fn(T, T) -> bool + Copy) -> Result<(), Error> {
        let lines = piece.to.len();
        let most = (PIECE / lines).clamp(1, self.extent);
        let mut values = Owned::filled(lines * most, T::ZERO)?;
        if most == self.extent {
            self.evaluate(piece, (0, most), &mut values)?;
            first_of_lines((&values, most), piece.to, is_ahead, number);
            return Ok(());
        }
        debug_assert_eq!(lines, 1, "pieces of several lines hold these whole");
        let mut best: Option<(T, usize)> = None;
        for start in (0..self.extent).step_by(most) {
            let values = &mut values[..most.min(self.extent - start)];
            self.evaluate(piece, (start, values.len()), values)?;
            best = ahead_of(best, (values, start), is_ahead);
        }
        piece.to[0] = number(best.map_or(0, |(_, at)| at));
        Ok(())
    }

    /// Writes the values of a piece, so many from a start along the axis that is looked along, which is the last.
    fn evaluate<T: Scalar>(&self, piece: &Piece<'_, T>, (start, len): (usize, usize), to: &mut [T]) -> Result<(), Error> {
        let part = |layout: &Strided| piece.part(layout.clone().slice(self.kept.len(), start, len));
        let layouts: Vec<Strided> = self.inputs.iter().map(|input| part(input.layout())).collect();
        let inputs: Vec<Operand<'_>> = self.inputs.iter().zip(&layouts).map(|(input, layout)| input.within(layout)).collect();
        let extents: Vec<usize> = piece.extents(self.kept).chain([len]).collect();
        let own = Strided::row_major(&extents)?;
        let nest = LoopNest::new(extents, self.kept.len() + 1);
        map::map_by::<T>(self.threads.0, 1, &nest, self.values, Reduction::Sum, &inputs, Output::new(T::erase_mut(to), &own))
    }
}

/// The element that is ahead so far and where it is, after some more elements, of which the first has this index.
fn ahead_of<T: Scalar>(
    best: Option<(T, usize)>,
    (elements, start): (&[T], usize),
    is_ahead: impl Fn(T, T) -> bool + Copy,
) -> Option<(T, usize)> {
    let at = first(elements, is_ahead)?;
    let found = elements[at];
    #[expect(clippy::eq_op, reason = "only a NaN differs from itself")]
    let stays = |best: T| best != best || !(is_ahead(found, best) || found != found);
    match best {
        Some((best, before)) if stays(best) => Some((best, before)),
        _ => Some((found, start + at)),
    }
}

/// The index of the element that no other is ahead of, found in parts by several threads. The parts do not depend on their number.
fn first_of_parts<T: Scalar>(line: &[T], wanted: usize, is_ahead: impl Fn(T, T) -> bool + Copy + Sync) -> usize {
    let mut parts: Vec<(&[T], usize)> = line.chunks(PIECE).map(|part| (part, 0)).collect();
    thread_pool::each_mut(wanted, &mut parts, &|(part, at)| *at = first(part, is_ahead).unwrap_or(0));
    let parts = parts.iter().enumerate().map(|(n, (part, at))| (&part[*at..=*at], n * PIECE + at));
    parts.fold(None, |best, part| ahead_of(best, part, is_ahead)).map_or(0, |(_, at)| at)
}

/// Runs a task for each item, on as many threads as wanted.
///
/// # Errors
/// The first of theirs.
fn each<I: Send>(
    wanted: usize,
    items: impl Iterator<Item = I>,
    task: &(dyn Fn(&mut I) -> Result<(), Error> + Sync),
) -> Result<(), Error> {
    let mut items: Vec<(I, Result<(), Error>)> = items.map(|item| (item, Ok(()))).collect();
    thread_pool::each_mut(wanted, &mut items, &|(item, done)| *done = task(item));
    items.into_iter().try_for_each(|(_, done)| done)
}
