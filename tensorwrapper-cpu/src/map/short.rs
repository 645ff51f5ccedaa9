//! Reductions whose reduced points are one chunk: the values of one result after the other.

use std::ops::Range;

use super::super::fold::fold_all;
use super::super::forms::Loops;
use super::Map;
use tensorwrapper_core::backend::function::Scalar;
use tensorwrapper_core::backend::fuse::Odometer;

/// Values of one chunk of reduced points each.
pub(super) struct Short<'m, 'a, T> {
    pub(super) map: &'m Map<'a, T>,
    pub(super) range: Range<usize>,
}

impl<T: Scalar> Loops for Short<'_, '_, T> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let map = self.map;
        let (output, len) = (map.start.len() - 1, map.plan.reduced.points());
        if let Some((input, data)) = map.evaluator.lone() {
            return self.fold_rows(input, data, output, len);
        }
        let mut registers = map.evaluator.registers(len);
        let mut walk = Odometer::new(&map.kept, &map.start, self.range.start);
        for _ in self.range {
            let value = fold_all(map.reduction, map.evaluator.run(&mut registers, &walk.position, 0, len));
            // SAFETY: the outputs of these points belong to this task alone and lie inside (see `Output::new`).
            unsafe { map.out.write(walk.position[output], value) };
            walk.step();
        }
    }
}

impl<T: Scalar> Short<'_, '_, T> {
    /// Chunks that lie in an input as they are; along the innermost kept axis, two strides find them and their results.
    #[inline(always)]
    fn fold_rows(self, input: usize, data: &[T], output: usize, len: usize) {
        let map = self.map;
        let Some((inner, outer)) = map.kept.split_last() else {
            let value = fold_all(map.reduction, &data[map.start[input] as usize..][..len]);
            // SAFETY: the only output.
            return unsafe { map.out.write(map.start[output], value) };
        };
        let mut walk = Odometer::new(outer, &map.start, self.range.start / inner.extent);
        let (mut index, mut left) = (self.range.start % inner.extent, self.range.len());
        while left > 0 {
            let count = left.min(inner.extent - index);
            let [mut from, mut to] = [input, output].map(|n| walk.position[n] + index as isize * inner.strides[n]);
            for _ in 0..count {
                let value = fold_all(map.reduction, &data[from as usize..][..len]);
                // SAFETY: the outputs of these points belong to this task alone and lie inside (see `Output::new`).
                unsafe { map.out.write(to, value) };
                from += inner.strides[input];
                to += inner.strides[output];
            }
            (index, left) = (0, left - count);
            walk.step();
        }
    }
}
