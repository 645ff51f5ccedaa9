//! What a program's values are folded into: a chunk of results, or one result after the other. Folds are pairwise trees.

use std::ops::Range;

use super::Map;
use super::short::{Short, ShortProgram};
use crate::access::PerOperand;
use crate::evaluate::NextChunk;
use crate::fold::{ROWS, Rows, combine, combine_rows, fold_all_by, halves};
use crate::multiversion::{dispatch, dispatch_narrow};
use crate::registers::Registers;
use tensorwrapper_core::backend::function::Scalar;
use tensorwrapper_core::backend::fuse::Odometer;
use tensorwrapper_core::internal::thread_pool;

impl<T: Scalar> Map<'_, T> {
    /// Folds a range of the reduced points for one chunk of kept ones, given by its start and its first point.
    pub(super) fn fold_chunk(
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
                thread_pool::join(
                    threads,
                    || self.fold_chunk(registers, chunk, left, threads.div_ceil(2), target),
                    || self.fold_chunk(&mut own, chunk, right, threads / 2, &mut other),
                );
            } else {
                self.fold_chunk(registers, chunk, left, 1, target);
                self.fold_chunk(registers, chunk, right, 1, &mut other);
            }
            return combine(self.simd, self.reduction, target, &other);
        }
        match self.evaluator.lone() {
            Some(input) => self.fold_rows(input, chunk, range, target),
            None => self.fold_points(registers, chunk, range, target),
        }
    }

    /// Reduced points folded into a chunk, several of them in one pass: the values are rows of an input.
    fn fold_rows(&self, (input, data): (usize, &[T]), (start, first): (&[isize], usize), range: Range<usize>, target: &mut [T]) {
        let mut walk = Odometer::new(&self.reduced, &PerOperand::from_slice(start), range.start);
        let len = target.len();
        let follow = self.reduced.last().is_some_and(|axis| axis.strides[input] == len as isize);
        let mut next = || {
            let row = &data[(walk.position[input] + first as isize) as usize..][..len];
            // Behind the last point back at the first.
            walk.step();
            row
        };
        for done in (0..range.len()).step_by(ROWS) {
            let rows: [&[T]; ROWS] = std::array::from_fn(|_| next());
            let rows = &rows[..ROWS.min(range.len() - done)];
            combine_rows(self.simd, Rows { reduction: self.reduction, begun: done > 0, follow, rows }, target);
        }
    }

    /// Reduced points folded into a chunk, one after the other.
    fn fold_points(
        &self,
        registers: &mut Registers<T>,
        (start, first): (&[isize], usize),
        range: Range<usize>,
        target: &mut [T],
    ) {
        let mut walk = Odometer::new(&self.reduced, &PerOperand::from_slice(start), range.start);
        let mut next = Odometer::new(&self.reduced, &PerOperand::from_slice(start), range.start + 1);
        let mut values = vec![T::ZERO; target.len()];
        for point in 0..range.len() {
            let ahead = NextChunk { start: &next.position, first, len: target.len() };
            let into: &mut [T] = if point == 0 { &mut *target } else { &mut values };
            let at = (&walk.position[..], first, into.len());
            self.chunk(registers, at, Some(into), Some(ahead));
            if point > 0 {
                combine(self.simd, self.reduction, target, &values);
            }
            walk.step();
            next.step();
        }
    }

    /// Each kept point of a range.
    pub(super) fn along_reduced(&self, range: Range<usize>, threads: usize) {
        if self.plan.reduced.chunks() == 1 {
            return self.fold_chunks(range);
        }
        let mut registers = self.evaluator.registers(self.plan.reduced.width);
        let mut walk = Odometer::new(&self.kept, &self.start, range.start);
        for _ in range {
            let value = self.fold_value(&mut registers, &walk.position, 0..self.plan.reduced.chunks(), threads);
            // SAFETY: the outputs of these points belong to this task alone and lie inside (see `Output::new`).
            unsafe { self.out.write(walk.position[self.start.len() - 1], value) };
            walk.step();
        }
    }

    /// Each kept point of a range, whose reduced points are one chunk.
    fn fold_chunks(&self, range: Range<usize>) {
        let (len, out, reduction) = (self.plan.reduced.points(), self.out, self.reduction);
        let (kept, start, evaluator) = (&self.kept, &self.start[..], &self.evaluator);
        match evaluator.lone() {
            Some(input) => dispatch_narrow(self.simd, Short { input, reduction, kept, start, out, len, range }),
            None => dispatch(self.simd, ShortProgram { evaluator, reduction, kept, start, out, len, range }),
        }
    }

    /// Folds a range of the chunks of reduced points into one value.
    fn fold_value(&self, registers: &mut Registers<T>, start: &[isize], range: Range<usize>, threads: usize) -> T {
        if let Some((left, right)) = halves(&range) {
            let (left, right) = if threads > 1 {
                let mut own = self.evaluator.registers(self.plan.reduced.width);
                thread_pool::join(
                    threads,
                    || self.fold_value(registers, start, left, threads.div_ceil(2)),
                    || self.fold_value(&mut own, start, right, threads / 2),
                )
            } else {
                (self.fold_value(registers, start, left, 1), self.fold_value(registers, start, right, 1))
            };
            return self.reduction.combine(left, right);
        }
        let mut walk = self.plan.reduced.walk(start, range.start);
        let mut values = vec![T::ZERO; if self.evaluator.lone().is_some() { 0 } else { self.plan.reduced.width }];
        let mut total = None;
        for _ in range {
            let (start, first, len) = (walk.start(), walk.first(), walk.len());
            let values = match self.evaluator.lone() {
                Some((input, data)) => &data[(start[input] + first as isize) as usize..][..len],
                None => {
                    self.chunk(registers, (start, first, len), Some(&mut values[..len]), None);
                    &values[..len]
                }
            };
            let value = fold_all_by(self.simd, self.reduction, values);
            total = Some(total.map_or(value, |total| self.reduction.combine(total, value)));
            walk.step();
        }
        total.expect("a leaf is not empty")
    }
}
