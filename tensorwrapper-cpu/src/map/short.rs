//! Reductions whose reduced points are one chunk: the values of one result after the other.

use std::ops::Range;

use crate::access::PerOperand;
use crate::evaluate::Evaluator;
use crate::fold::fold_all;
use crate::loops::Axes;
use crate::multiversion::Loops;
use crate::sink::Sink;
use tensorwrapper_core::backend::Reduction;
use tensorwrapper_core::backend::function::Scalar;
use tensorwrapper_core::backend::fuse::Odometer;

/// Values of one chunk of reduced points each.
pub(super) struct Short<'m, 'a, T> {
    pub(super) evaluator: &'m Evaluator<'a, T>,
    pub(super) reduction: Reduction,
    /// The axes of the results, and where point 0 lies in each operand.
    pub(super) kept: &'m Axes,
    pub(super) start: &'m [isize],
    pub(super) out: Sink<'a, T>,
    /// Values of each result.
    pub(super) len: usize,
    /// Which results.
    pub(super) range: Range<usize>,
}

impl<T: Scalar> Loops for Short<'_, '_, T> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let (output, len) = (self.start.len() - 1, self.len);
        if let Some((input, data)) = self.evaluator.lone() {
            return self.fold_rows(input, data, output, len);
        }
        let mut registers = self.evaluator.registers(len);
        let mut walk = Odometer::new(self.kept, &PerOperand::from_slice(self.start), self.range.start);
        for _ in self.range {
            let value = fold_all(self.reduction, self.evaluator.run(&mut registers, &walk.position, 0, len));
            // SAFETY: the outputs of these points belong to this task alone and lie inside (see `Output::new`).
            unsafe { self.out.write(walk.position[output], value) };
            walk.step();
        }
    }
}

impl<T: Scalar> Short<'_, '_, T> {
    /// Chunks that lie in an input as they are; along the innermost kept axis, two strides find them and their results.
    #[inline(always)]
    fn fold_rows(self, input: usize, data: &[T], output: usize, len: usize) {
        let Some((inner, outer)) = self.kept.split_last() else {
            let value = fold_all(self.reduction, &data[self.start[input] as usize..][..len]);
            // SAFETY: the only output.
            return unsafe { self.out.write(self.start[output], value) };
        };
        let mut walk = Odometer::new(outer, &PerOperand::from_slice(self.start), self.range.start / inner.extent);
        let (mut index, mut left) = (self.range.start % inner.extent, self.range.len());
        while left > 0 {
            let count = left.min(inner.extent - index);
            let [mut from, mut to] = [input, output].map(|n| walk.position[n] + index as isize * inner.strides[n]);
            for _ in 0..count {
                let value = fold_all(self.reduction, &data[from as usize..][..len]);
                // SAFETY: the outputs of these points belong to this task alone and lie inside (see `Output::new`).
                unsafe { self.out.write(to, value) };
                from += inner.strides[input];
                to += inner.strides[output];
            }
            (index, left) = (0, left - count);
            walk.step();
        }
    }
}
