//! Where the values of a program are largest or smallest along an axis: where they lie if they are elements of a tensor in order, and
//! otherwise computed in pieces that stay in the nearest caches.

mod loops;
#[cfg(test)]
mod tests;

pub use loops::{best, first, first_of_columns, first_of_lines};

use num_complex::Complex;

use super::map;
use super::simd::Simd;
use tensorwrapper_core::backend::function::Scalar;
use tensorwrapper_core::backend::{Instruction, LoopNest, Operand, Output, Program, Reduction};
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::thread_pool;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::Owned;

/// Elements of a piece: those that a thread computes or looks through at a time.
const PIECE: usize = 1 << 14;
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
    let (kept, reduced) = nest.extents().split_at(nest.kept());
    let (lines, extent) = (kept.iter().product(), reduced[0]);
    if lines == 0 {
        return Ok(());
    }
    let search = Search { threads, kept, extent, values, inputs };
    let run = |to: &mut [T]| match extreme {
        Reduction::Max => search.run(to, |x, y| x > y),
        _ => search.run(to, |x, y| x < y),
    };
    let (data, layout) = output.typed::<T>();
    if layout.is_row_major() {
        return run(&mut data[layout.start()..][..lines]);
    }
    let mut found = Owned::filled(lines, T::ZERO)?;
    run(&mut found)?;
    layout.positions().zip(found.iter()).for_each(|(position, &at)| data[position] = at);
    Ok(())
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
        let wanted = if to.len() * self.extent < MANY { 1 } else { self.threads.1 };
        match self.in_order::<T>() {
            Some((elements, 1)) => {
                let rows = (PIECE / self.extent).max(1);
                let mut pieces: Vec<_> = to.chunks_mut(rows).zip(elements.chunks(rows * self.extent)).collect();
                thread_pool::each_mut(wanted, &mut pieces, &|(to, elements)| {
                    first_of_lines((elements, self.extent), to, is_ahead, number);
                });
                Ok(())
            }
            Some((elements, columns)) => {
                let blocks = to.chunks_mut(columns).zip(elements.chunks(columns * self.extent));
                each(wanted, blocks, &|(to, elements)| first_of_columns(elements, to, is_ahead, number))
            }
            None => each(wanted, self.pieces(to).into_iter(), &|piece| self.computed(piece, is_ahead)),
        }
    }

    /// The elements, if the values are those of a tensor in order, and how many columns lie side by side: 1 where the axis that is looked
    /// along is the last.
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

    /// Pieces of the output, each with where it begins: whole indices of the last axes.
    fn pieces<'t, T>(&self, to: &'t mut [T]) -> Vec<Piece<'t, T>> {
        let (mut whole, mut elements) = (self.kept.len(), self.extent);
        while whole > 0 && elements * self.kept[whole - 1] <= PIECE {
            whole -= 1;
            elements *= self.kept[whole];
        }
        let inner = self.kept[whole..].iter().product::<usize>();
        let Some(cut) = whole.checked_sub(1) else { return vec![Piece { to, outer: Vec::new(), cut: None }] };
        let rows = (PIECE / elements).max(1);
        let mut pieces = Vec::new();
        for (n, block) in to.chunks_mut(self.kept[cut] * inner).enumerate() {
            let (mut outer, mut left) = (vec![0; cut], n);
            for (index, &extent) in outer.iter_mut().zip(&self.kept[..cut]).rev() {
                *index = left % extent;
                left /= extent;
            }
            for (start, to) in (0..self.kept[cut]).step_by(rows).zip(block.chunks_mut(rows * inner)) {
                let rows = to.len() / inner;
                pieces.push(Piece { to, outer: outer.clone(), cut: Some((start, rows)) });
            }
        }
        pieces
    }

    /// Computes the values of a piece, some along the axis at a time, and finds their places.
    fn computed<T: Scalar>(&self, piece: &mut Piece<'_, T>, is_ahead: impl Fn(T, T) -> bool + Copy) -> Result<(), Error> {
        let lines = piece.to.len();
        let most = (PIECE / lines).clamp(1, self.extent);
        let mut values = Owned::filled(lines * most, T::ZERO)?;
        let mut best: Option<Owned<T>> = None;
        for start in (0..self.extent).step_by(most) {
            let len = most.min(self.extent - start);
            let values = &mut values[..lines * len];
            self.evaluate(piece, (start, len), values)?;
            match &mut best {
                None => {
                    first_of_lines((values, len), piece.to, is_ahead, number);
                    if len < self.extent {
                        let found = values.chunks_exact(len).zip(&*piece.to);
                        let mut ahead = Owned::with_room(lines)?;
                        ahead.extend(found.map(|(line, at)| line[at.to_complex().re as usize]));
                        best = Some(ahead);
                    }
                }
                Some(best) => {
                    for ((line, best), to) in values.chunks_exact(len).zip(best.iter_mut()).zip(piece.to.iter_mut()) {
                        let at = first(line, is_ahead).unwrap_or(0);
                        #[expect(clippy::eq_op, reason = "only a NaN differs from itself")]
                        let is_next = *best == *best && (is_ahead(line[at], *best) || line[at] != line[at]);
                        if is_next {
                            (*best, *to) = (line[at], number(start + at));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes the values of a piece, so many from a start along the axis that is looked along, which is the last.
    fn evaluate<T: Scalar>(&self, piece: &Piece<'_, T>, (start, len): (usize, usize), to: &mut [T]) -> Result<(), Error> {
        let part = |layout: &Strided| {
            let mut layout = layout.clone().slice(self.kept.len(), start, len);
            for (axis, &index) in piece.outer.iter().enumerate() {
                layout = layout.slice(axis, index, 1);
            }
            match piece.cut {
                Some((start, rows)) => layout.slice(piece.outer.len(), start, rows),
                None => layout,
            }
        };
        let layouts: Vec<Strided> = self.inputs.iter().map(|input| part(input.layout())).collect();
        let inputs: Vec<Operand<'_>> = self.inputs.iter().zip(&layouts).map(|(input, layout)| input.within(layout)).collect();
        let mut extents = self.kept.to_vec();
        extents[..piece.outer.len()].fill(1);
        if let Some((_, rows)) = piece.cut {
            extents[piece.outer.len()] = rows;
        }
        extents.push(len);
        let own = Strided::row_major(&extents)?;
        let nest = LoopNest::new(extents, self.kept.len() + 1);
        map::map_by::<T>(self.threads.0, 1, &nest, self.values, Reduction::Sum, &inputs, Output::new(T::erase_mut(to), &own))
    }
}

/// A piece of the output.
struct Piece<'t, T> {
    to: &'t mut [T],
    /// The indices of the first axes.
    outer: Vec<usize>,
    /// The start and the length of the part along the next axis. Without it the piece is all.
    cut: Option<(usize, usize)>,
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
