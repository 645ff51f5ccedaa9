//! Products with long sums and small results: threads share the batch, or the terms of each sum.

use std::ops::Range;

use super::product::{ClassifiedAxes, LEFT, OUT, RIGHT, Triple, positions};
use super::sink::Sink;
use super::tasks;
use tensorwrapper_core::backend::fuse::{Odometer, points};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::memory::zeros;
use tensorwrapper_core::internal::thread_pool;

/// Pieces of a sum after which running sums are added to totals: long sums stay accurate.
pub(super) const LEAF: usize = 64;

/// Where the results of a product belong.
#[derive(Debug)]
pub(super) struct LongSums<T> {
    batch: Vec<Triple>,
    /// How far the rows and the columns of the result are from its first element.
    rows: Vec<isize>,
    columns: Vec<isize>,
    /// Terms that threads share, or blocks of them.
    terms: usize,
    /// Multiplications of one item of the batch.
    operations: usize,
    start: [isize; 3],
    alpha: T,
}

/// Sums these terms of the product that begins at these positions: all results, row by row.
pub(super) type Sums<'a, T> = dyn Fn(Range<usize>, [isize; 3]) -> Result<Vec<T>, Error> + Sync + 'a;

impl<T: Element> LongSums<T> {
    pub(super) fn new(sorted: &ClassifiedAxes<T>) -> LongSums<T> {
        LongSums::of_blocks(sorted, points(&sorted.inner))
    }

    /// The same with so many blocks of terms in place of single ones.
    pub(super) fn of_blocks(sorted: &ClassifiedAxes<T>, blocks: usize) -> LongSums<T> {
        let [rows, columns] = [&sorted.rows, &sorted.columns].map(|axes| positions(axes, OUT));
        let ClassifiedAxes { batch, start, alpha, .. } = sorted;
        let operations = sorted.multiplications();
        LongSums { batch: batch.clone(), rows, columns, terms: blocks, operations, start: *start, alpha: *alpha }
    }

    /// Elements of the result of one item of the batch.
    pub(super) fn results(&self) -> usize {
        self.rows.len() * self.columns.len()
    }

    /// Computes all results.
    ///
    /// # Errors
    /// Memory for sums.
    ///
    /// # Safety
    /// All positions of results lie inside the output, and nobody else touches them.
    pub(super) unsafe fn run(&self, threads: usize, out: Sink<'_, T>, sums: &Sums<'_, T>) -> Result<(), Error> {
        let items = points(&self.batch);
        let (len, operations) = (self.results(), self.operations);
        let put = |at: isize, sums: &[T]| {
            let products = self.rows.iter().flat_map(|row| self.columns.iter().map(move |column| row + column));
            for (further, &sum) in products.zip(sums) {
                // SAFETY: the caller's promise: these are elements of the result.
                unsafe { out.write(at + further, self.alpha * sum) };
            }
        };
        if tasks::shares_items(threads, (items, 2), operations, tasks::worth_pass) {
            return tasks::failing(|failed| {
                tasks::split_pass(threads, items, items * operations, &|range| {
                    let mut walk = Odometer::new(&self.batch, &self.start, range.start);
                    for _ in range {
                        failed(sums(0..self.terms, walk.position).map(|sums| put(walk.position[OUT], &sums)));
                        walk.step();
                    }
                });
            });
        }
        // Threads share the terms; what they sum is added in order.
        let parts = tasks::worth_pass(threads, operations);
        let mut walk = Odometer::new(&self.batch, &self.start, 0);
        for _ in 0..items {
            let at = walk.position;
            walk.step();
            let mut apart = zeros::<T>(len * parts)?;
            let sink = Sink::new(&mut apart);
            let bound = |n: usize| tasks::bound(self.terms, n, parts);
            tasks::failing(|failed| {
                thread_pool::each(parts, &|n| {
                    // SAFETY: every part has memory of its own.
                    let own = unsafe { sink.slice((n * len) as isize, len) };
                    failed(sums(bound(n)..bound(n + 1), at).map(|sums| own.copy_from_slice(&sums)));
                });
            })?;
            put(at[OUT], tasks::add_parts(&mut apart, len));
        }
        Ok(())
    }
}

/// Adds running sums to totals, and begins them anew.
pub(super) fn add_running<T: Element>(totals: &mut [T], running: &mut [T]) {
    totals.iter_mut().zip(running).for_each(|(total, sum)| *total += std::mem::replace(sum, T::ZERO));
}

/// Pieces of the terms of a sum: lines of neighbours along one axis, cut where they are longer than wanted.
pub(super) struct Pieces<'a> {
    walk: Odometer<'a, [isize; 3]>,
    run: usize,
    most: usize,
    first: usize,
    left: usize,
}

impl<'a> Pieces<'a> {
    /// Pieces of at most so many of these terms; the sum runs along an axis of `run` terms, inside of `outer`, from these positions on.
    pub(super) fn new(terms: Range<usize>, (outer, run): (&'a [Triple], usize), at: [isize; 3], most: usize) -> Pieces<'a> {
        let walk = Odometer::new(outer, &at, terms.start / run);
        Pieces { walk, run, most, first: terms.start % run, left: terms.len() }
    }
}

impl Iterator for Pieces<'_> {
    /// Where the line begins in both factors, the number of the piece's first term in it, and how many there are.
    type Item = ([isize; 2], usize, usize);

    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            return None;
        }
        let count = self.left.min(self.run - self.first).min(self.most);
        let piece = ([LEFT, RIGHT].map(|side| self.walk.position[side]), self.first, count);
        (self.first, self.left) = (self.first + count, self.left - count);
        if self.first == self.run {
            self.first = 0;
            self.walk.step();
        }
        Some(piece)
    }
}
