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
use tensorwrapper_core::backend::fuse::{Axis, Odometer};

/// Folds of chunks that lie in an input as they are.
pub(super) struct Short<'m, 'a, T> {
    /// The number of the input, and its memory.
    pub(super) input: (usize, &'a [T]),
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

    /// Along the innermost kept axis, two strides find values and results.
    #[inline(always)]
    fn run(self) {
        let ((input, data), output) = (self.input, self.start.len() - 1);
        let only = Axis { extent: 1, strides: PerOperand::from_elem(0, self.start.len()) };
        let (inner, outer) = self.kept.split_last().unwrap_or((&only, &[]));
        let mut walk = Odometer::new(outer, &PerOperand::from_slice(self.start), self.range.start / inner.extent);
        let (mut index, mut left) = (self.range.start % inner.extent, self.range.len());
        while left > 0 {
            let count = left.min(inner.extent - index);
            let [mut from, mut to] = [input, output].map(|n| walk.position[n] + index as isize * inner.strides[n]);
            for _ in 0..count {
                let value = fold_all(self.reduction, &data[from as usize..][..self.len]);
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

/// Folds of chunks of a program's values.
pub(super) struct ShortProgram<'m, 'a, T> {
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

impl<T: Scalar> Loops for ShortProgram<'_, '_, T> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let (output, len) = (self.start.len() - 1, self.len);
        let mut registers = self.evaluator.registers(len);
        let mut walk = Odometer::new(self.kept, &PerOperand::from_slice(self.start), self.range.start);
        for _ in self.range {
            let value = fold_all(self.reduction, self.evaluator.run_inlined(&mut registers, &walk.position, len));
            // SAFETY: the outputs of these points belong to this task alone and lie inside (see `Output::new`).
            unsafe { self.out.write(walk.position[output], value) };
            walk.step();
        }
    }
}
