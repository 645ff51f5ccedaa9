//! The indices of a [`Shape`], one after another with the last axis fastest, or in parts on several threads.
//!
//! Knows nothing of memory and of the order of elements in it.

use std::iter::FusedIterator;

use rayon::iter::ParallelIterator as _;

use super::axes::PerAxis;
use super::fixed::FixedIndices;
use super::index::MultiIndex;
use super::steps::{Steps, advance, left, walk};
use super::value::Shape;
use crate::error::{Error, ErrorKind};
use crate::thread_pool;

#[cfg(test)]
mod tests;

/// The indices of a [`Shape`] in lexicographic order, the last axis fastest.
///
/// The iterator gives each index as a value; [`of_rank`](Indices::of_rank) gives arrays, [`visit`](Indices::visit) lends slices, and
/// [`par_visit`](Indices::par_visit) lends them on several threads. `visit` is as fast as nested loops, and so are `for_each`, `fold` and
/// `sum` up to rank 4. A `for` loop calls `next` for each index, and is several times slower if its body is only a few instructions.
///
/// ```
/// # use tensorwrapper_core as tensorwrapper;
/// use tensorwrapper::{Error, Shape};
/// let shape = Shape::new([2, 3]);
/// for index in &shape {
///     assert!(index[0] < 2 && index[1] < 3);
/// }
/// let mut sum = 0;
/// shape.indices().visit(|index| sum += index[0] * index[1]);
/// assert_eq!(sum, 3);
/// assert_eq!(shape.indices().of_rank()?.map(|[i, j]| i * j).sum::<usize>(), 3);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Indices {
    axes: PerAxis<Steps>,
    /// The next index, unless `done`.
    at: PerAxis<usize>,
    done: bool,
}

impl Shape {
    /// All indices, from the origin on. Iterating over `&shape` gives the same.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, Shape};
    /// let shape = Shape::new([2, 2]).with_origin([10, 10])?;
    /// let indices: Vec<_> = shape.indices().collect();
    /// assert_eq!(indices, [[10, 10], [10, 11], [11, 10], [11, 11]]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn indices(&self) -> Indices {
        let axes = self.origin().iter().zip(self.extents());
        let axes = axes.map(|(&first, &extent)| Steps { first, last: first + extent.saturating_sub(1), step: 1 });
        Indices { axes: axes.collect(), at: PerAxis::from_slice(self.origin()), done: self.is_empty() }
    }

    /// All indices minus the origin: those of a shape with the same extents that begins at zero.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, Shape};
    /// let part = Shape::new([10, 20]).slice([0, 1], [1, 3])?;
    /// assert_eq!(part.offsets().collect::<Vec<_>>(), [[0, 0], [0, 1]]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn offsets(&self) -> Indices {
        self.at_zero().indices()
    }

    /// On each axis the indices `base`, `base + step`, `base + 2·step`, … that are less than `base + count`.
    ///
    /// `count` is the length of the range, not the number of indices, as in XLA's `ForEachIndex`.
    ///
    /// # Errors
    /// [`ErrorKind::Rank`] when a list has another number of axes, [`ErrorKind::Bounds`] when `base..base + count` leaves its
    /// axis, [`ErrorKind::Shape`] when a step is 0.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, Shape};
    /// let indices = Shape::new([4, 6]).indices_within([1, 0], [2, 5], [1, 2])?;
    /// assert_eq!(indices.collect::<Vec<_>>(), [[1, 0], [1, 2], [1, 4], [2, 0], [2, 2], [2, 4]]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn indices_within(
        &self,
        base: impl AsRef<[usize]>,
        count: impl AsRef<[usize]>,
        step: impl AsRef<[usize]>,
    ) -> Result<Indices, Error> {
        let (base, count, step) = (base.as_ref(), count.as_ref(), step.as_ref());
        [base, count, step].into_iter().try_for_each(|given| self.check_rank(given))?;
        let mut indices = Indices { axes: PerAxis::new(), at: PerAxis::from_slice(base), done: self.is_null() };
        for (axis, ((&first, &count), &step)) in base.iter().zip(count).zip(step).enumerate() {
            let overflow = || self.beyond(axis, format!("{first}..{first} + {count}"));
            self.check_range(axis, first, first.checked_add(count).ok_or_else(overflow)?)?;
            if step == 0 {
                return Err(super::axes::no_step(axis));
            }
            indices.done |= count == 0;
            indices.axes.push(Steps { first, last: first + count.saturating_sub(1) / step * step, step });
        }
        Ok(indices)
    }

    /// As [`indices_within`](Shape::indices_within), but `base` and the indices count from zero, wherever the shape begins.
    ///
    /// # Errors
    /// As [`indices_within`](Shape::indices_within).
    pub fn offsets_within(
        &self,
        base: impl AsRef<[usize]>,
        count: impl AsRef<[usize]>,
        step: impl AsRef<[usize]>,
    ) -> Result<Indices, Error> {
        self.at_zero().indices_within(base, count, step)
    }
}

impl IntoIterator for &Shape {
    type Item = MultiIndex;
    type IntoIter = Indices;
    fn into_iter(self) -> Indices {
        self.indices()
    }
}

impl Indices {
    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.axes.len()
    }

    /// Calls a function with every remaining index, in order.
    #[inline]
    pub fn visit(mut self, mut function: impl FnMut(&[usize])) {
        if !self.done {
            walk(&self.axes, &mut self.at, (), |(), index| function(index));
        }
    }

    /// Calls a function with every remaining index, on the threads of rayon's current pool and in no fixed order. A process that `fork`
    /// has made has no such threads; there it runs on the current thread alone.
    ///
    /// ```
    /// # use tensorwrapper_core::Shape;
    /// use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    /// let sum = AtomicUsize::new(0);
    /// Shape::new([100, 100]).indices().par_visit(|index| {
    ///     sum.fetch_add(index[0], Relaxed);
    /// });
    /// assert_eq!(sum.into_inner(), 495_000);
    /// ```
    pub fn par_visit(self, function: impl Fn(&[usize]) + Send + Sync) {
        if thread_pool::threads(usize::MAX) > 1 {
            rayon::iter::split(self, Indices::split).for_each(|part| part.visit(&function));
        } else {
            self.visit(function);
        }
    }

    /// Two parts of about the same size, the second after the first. If there are fewer than two indices, the second is `None`.
    ///
    /// This is the function that `rayon::iter::split` needs: `rayon::iter::split(shape.indices(), Indices::split)` is a parallel iterator
    /// of parts.
    ///
    /// ```
    /// # use tensorwrapper_core::Shape;
    /// let (first, second) = Shape::new([4, 5]).indices().split();
    /// assert_eq!((first.count(), second.map(|part| part.count())), (10, Some(10)));
    /// ```
    #[must_use]
    pub fn split(mut self) -> (Indices, Option<Indices>) {
        if self.done {
            return (self, None);
        }
        for axis in 0..self.rank() {
            let (Steps { last, step, .. }, at) = (self.axes[axis], self.at[axis]);
            // What is behind on this axis is done with, here and in both parts.
            self.axes[axis].first = at;
            let count = self.axes[axis].count_from(at);
            if count > 1 {
                let middle = at + count / 2 * step;
                let mut second = self.clone();
                second.axes[axis] = Steps { first: middle, last, step };
                for later in axis..second.rank() {
                    second.at[later] = second.axes[later].first;
                }
                // The first part goes on in the middle of a row, so that axes further in keep their first index.
                self.axes[axis].last = middle - step;
                return (self, Some(second));
            }
        }
        (self, None)
    }

    /// The remaining indices as arrays, for a rank that the compiler knows.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the rank is not `R`.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, Shape};
    /// let trace: usize = Shape::new([3, 3]).indices().of_rank()?.filter(|[i, j]| i == j).map(|[i, _]| i).sum();
    /// assert_eq!(trace, 3);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn of_rank<const R: usize>(self) -> Result<FixedIndices<R>, Error> {
        if self.rank() != R {
            let message = format!("indices of rank {} are not arrays of {R}", self.rank());
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        Ok(self.known())
    }

    /// The same where the rank has been looked at.
    fn known<const R: usize>(self) -> FixedIndices<R> {
        FixedIndices::new(std::array::from_fn(|axis| self.axes[axis]), std::array::from_fn(|axis| self.at[axis]), self.done)
    }

    /// How many are left, if a `usize` can hold the number.
    fn left(&self) -> Option<usize> {
        left(&self.axes, &self.at, self.done)
    }
}

impl Iterator for Indices {
    type Item = MultiIndex;

    #[inline]
    fn next(&mut self) -> Option<MultiIndex> {
        if self.done {
            return None;
        }
        let index = MultiIndex::new(&self.at);
        self.done = !advance(&self.axes, &mut self.at);
        Some(index)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.left();
        (left.unwrap_or(usize::MAX), left)
    }

    #[inline]
    fn fold<B, F: FnMut(B, MultiIndex) -> B>(mut self, init: B, mut f: F) -> B {
        // Where the rank is known, so is where each number of an index is, and values cost no more than arrays.
        match self.rank() {
            1 => return self.known::<1>().fold(init, |all, index| f(all, index.into())),
            2 => return self.known::<2>().fold(init, |all, index| f(all, index.into())),
            3 => return self.known::<3>().fold(init, |all, index| f(all, index.into())),
            4 => return self.known::<4>().fold(init, |all, index| f(all, index.into())),
            _ if self.done => return init,
            _ => {}
        }
        walk(&self.axes, &mut self.at, init, |all, index| f(all, MultiIndex::new(index)))
    }
}

impl FusedIterator for Indices {}
