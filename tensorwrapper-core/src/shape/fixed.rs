//! The indices of a shape as arrays, for a rank that the compiler knows: loops over them become nested loops.

use std::iter::FusedIterator;

use super::steps::{Steps, advance, left, walk};

/// Indices of rank `R` in lexicographic order, the last axis fastest: [`Indices::of_rank`](super::Indices::of_rank).
///
/// `for_each`, `sum` and the like are as fast as nested loops. A `for` loop calls `next` for each index, which is slower if its body is
/// only a few instructions.
#[derive(Clone, Debug)]
pub struct FixedIndices<const R: usize> {
    axes: [Steps; R],
    /// The next index, unless `done`.
    at: [usize; R],
    done: bool,
}

impl<const R: usize> FixedIndices<R> {
    pub(super) fn new(axes: [Steps; R], at: [usize; R], done: bool) -> Self {
        FixedIndices { axes, at, done }
    }
}

impl<const R: usize> Iterator for FixedIndices<R> {
    type Item = [usize; R];

    #[inline]
    fn next(&mut self) -> Option<[usize; R]> {
        if self.done {
            return None;
        }
        let index = self.at;
        self.done = !advance(&self.axes, &mut self.at);
        Some(index)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = left(&self.axes, &self.at, self.done);
        (left.unwrap_or(usize::MAX), left)
    }

    #[inline]
    fn fold<B, F: FnMut(B, [usize; R]) -> B>(mut self, init: B, mut f: F) -> B {
        if self.done {
            return init;
        }
        walk(&self.axes, &mut self.at, init, |all, index| {
            let mut array = [0; R];
            array.copy_from_slice(index);
            f(all, array)
        })
    }
}

impl<const R: usize> FusedIterator for FixedIndices<R> {}
