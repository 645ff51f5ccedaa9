//! Long sums with small results, where rows, or columns, are neighbours in memory: products of two tall matrices, one transposed.
//!
//! Nothing is packed: a piece of both matrices is in the first cache while all tiles read it, and running sums wait in memory for the
//! next piece. Pieces are so short that memory is read all the time: while one is computed, the processor already fetches the next.

use std::ops::Range;

use super::kernel::{GemmElement, Kernel, MOST_GROUPS, Tile};
use super::space::MOST_COLUMNS;
use super::store::NOWHERE;
use crate::long_sums::{LEAF, LongSums, Pieces, add_running};
use crate::product::{ClassifiedAxes, LEFT, RIGHT, Triple};
use crate::product_kernel::ProductKernel;
use crate::simd::Simd;
use crate::sink::Sink;
use tensorwrapper_core::backend::fuse::{points, single_stride};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::memory::zeros;

/// Terms of a piece, and how many terms ahead rows are asked for, where both matrices are read from one end to the other: a processor
/// foresees that by itself.
const SEQUENTIAL: (usize, isize) = (32, 0);
/// The same where columns are lines of their own, which are many streams.
const APART: (usize, isize) = (64, 32);
/// Rows or columns at most: beyond, packing is worth it.
const MANY: usize = 48;
/// Elements of the result at most: their running sums are to stay in the first cache.
const MOST: usize = 1024;
/// Terms at least.
const LEAST: usize = 2048;
/// How far a term may be from the one before it, in rows or columns: farther ones would leave lines of the cache half read.
const NEAR: usize = 2;
/// Terms along one axis, at least.
const SHORT: usize = 16;

/// A product, prepared.
#[derive(Debug)]
pub(crate) struct TallGemm<T: GemmElement> {
    results: LongSums<T>,
    /// The factor whose outer axis gives the rows of tiles: its elements are neighbours.
    side: usize,
    rows: usize,
    columns: usize,
    /// How far the columns are from each other.
    apart: isize,
    /// How far terms are from each other in both factors, that of rows first.
    step: [isize; 2],
    outer: Vec<Triple>,
    run: usize,
    /// Terms of a piece, and how many terms ahead rows are asked for.
    piece: usize,
    ahead: isize,
    conjugate: bool,
    kernel: &'static Kernel<T>,
}

impl<T: GemmElement> TallGemm<T> {
    /// Prepares a product; nothing where sums are short, or rows are no neighbours, or there are so many that packing them is faster.
    pub(crate) fn new(sorted: &ClassifiedAxes<T>, simd: Simd) -> Option<TallGemm<T>> {
        let outside = [&sorted.rows, &sorted.columns];
        let extents = outside.map(|axes| points(axes));
        let terms = points(&sorted.inner);
        let many = extents[0].max(extents[1]) > MANY || extents[0] * extents[1] > MOST;
        if many || terms < LEAST || T::DTYPE.is_complex() && sorted.conjugate[0] != sorted.conjugate[1] {
            return None;
        }
        let kernel = T::kernel(simd);
        let strides = [LEFT, RIGHT].map(|side| single_stride(outside[side], side));
        let cost = |side: &usize| extents[*side].div_ceil(kernel.lanes) * extents[1 - side];
        let is_unit = |side: &usize| strides[*side] == Some(1) && strides[1 - side].is_some();
        let side = [LEFT, RIGHT].into_iter().filter(is_unit).min_by_key(cost)?;
        let mut outer = sorted.inner.clone();
        let is_near = |n: &usize| {
            let [rows, columns] = [side, 1 - side].map(|side| outer[*n].strides[side].unsigned_abs());
            let is_line = columns == 1 || strides[1 - side] == Some(1) && columns <= NEAR * extents[1 - side];
            outer[*n].extent >= SHORT && rows <= NEAR * extents[side] && is_line
        };
        let along = (0..outer.len()).filter(is_near).max_by_key(|&n| outer[n].extent)?;
        let axis = outer.remove(along);
        let apart = strides[1 - side]?;
        let (piece, ahead) = if apart == 1 { SEQUENTIAL } else { APART };
        Some(TallGemm {
            results: LongSums::new(sorted),
            side,
            rows: extents[side],
            columns: extents[1 - side],
            apart,
            step: [axis.strides[side], axis.strides[1 - side]],
            outer,
            run: axis.extent,
            piece,
            ahead,
            conjugate: sorted.conjugate[0],
            kernel,
        })
    }

    /// Elements from one column of running sums to the next.
    fn height(&self) -> usize {
        self.rows.next_multiple_of(self.kernel.lanes)
    }

    /// The sums of these terms.
    fn sums(&self, terms: Range<usize>, at: [isize; 3], data: [&[T]; 2]) -> Result<Vec<T>, Error> {
        let len = self.height() * self.columns;
        let (mut running, mut totals) = (zeros::<T>(len)?, zeros::<T>(len)?);
        let mut copied = Vec::new();
        let data = [data[self.side], data[1 - self.side]];
        let pieces = Pieces::new(terms, (&self.outer, self.run), at, self.piece);
        for (number, (at, first, count)) in pieces.enumerate() {
            let at = [at[self.side] + first as isize * self.step[0], at[1 - self.side] + first as isize * self.step[1]];
            let columns = data[1].as_ptr().wrapping_offset(at[1]);
            let last = at[0] + (count as isize - 1) * self.step[0];
            // Behind the last row there may be no memory to read in vain.
            let rows = if at[0].max(last) + self.height() as isize <= data[0].len() as isize {
                (data[0].as_ptr().wrapping_offset(at[0]), self.step[0])
            } else {
                self.copy(data[0], at[0], count, &mut copied)?;
                (copied.as_ptr(), self.height() as isize)
            };
            // SAFETY: all rows and columns lie inside of the memory, with what is read in vain behind them; there are running sums for all.
            unsafe { self.piece(rows, columns, count, running.as_mut_ptr()) };
            if number % LEAF == LEAF - 1 {
                add_running(&mut totals, &mut running);
            }
        }
        add_running(&mut totals, &mut running);
        let [row, column] = if self.side == LEFT { [1, self.height()] } else { [self.height(), 1] };
        let [rows, columns] = if self.side == LEFT { [self.rows, self.columns] } else { [self.columns, self.rows] };
        let places = (0..rows).flat_map(|n| (0..columns).map(move |m| n * row + m * column));
        Ok(places.map(|n| if self.conjugate { totals[n].conj() } else { totals[n] }).collect())
    }

    /// Copies rows to where there is room behind them.
    fn copy(&self, data: &[T], at: isize, count: usize, to: &mut Vec<T>) -> Result<(), Error> {
        if to.is_empty() {
            *to = zeros::<T>(self.height() * self.piece)?;
        }
        for (n, to) in to.chunks_mut(self.height()).take(count).enumerate() {
            let at = (at + n as isize * self.step[0]) as usize;
            to[..self.rows].copy_from_slice(&data[at..at + self.rows]);
        }
        Ok(())
    }

    /// Adds a piece of so many terms to the running sums.
    ///
    /// # Safety
    /// Rows, each filled up to whole groups, and columns can be read; there are running sums for all of them.
    unsafe fn piece(&self, (rows, step): (*const T, isize), columns: *const T, terms: usize, sums: *mut T) {
        let Kernel { lanes, panel, nr, .. } = *self.kernel;
        debug_assert!(terms <= self.piece);
        let groups = self.height() / lanes;
        // Tiles of about the same number of columns.
        let tiles = self.columns.div_ceil(nr);
        for tile in 0..tiles {
            let (from, until) = (self.columns * tile / tiles, self.columns * (tile + 1) / tiles);
            for first in (0..groups).step_by(panel) {
                let rows = rows.wrapping_add(first * lanes);
                let to = sums.wrapping_add(from * self.height() + first * lanes);
                let tile = Tile {
                    terms,
                    rows: rows.cast(),
                    step,
                    near: self.ahead * step,
                    spread: Some([self.apart, self.step[1]]),
                    columns: columns.wrapping_offset(from as isize * self.apart).cast(),
                    groups: panel.min(groups - first),
                    wanted: until - from,
                    alpha: T::ONE,
                    add: true,
                    stream: false,
                    ragged: None,
                    asks: true,
                    // The line that is being read.
                    ahead: (rows, NOWHERE[..terms].as_ptr()),
                    to: std::array::from_fn::<_, MOST_GROUPS, _>(|n| to.wrapping_add(n * lanes)),
                    along: std::array::from_fn::<_, MOST_COLUMNS, _>(|n| (n * self.height()) as isize),
                };
                // SAFETY: the caller's promise.
                unsafe { (self.kernel.tile)(&tile) };
            }
        }
    }
}

impl<T: GemmElement> ProductKernel<T> for TallGemm<T> {
    fn method(&self) -> &'static str {
        "tall matrices"
    }

    fn work_space(&self, threads: usize) -> usize {
        threads * (self.results.results() + self.height() * (2 * self.columns + self.piece))
    }

    unsafe fn run(&self, threads: usize, data: [&[T]; 2], out: Sink<'_, T>) -> Result<(), Error> {
        // SAFETY: the caller's promise.
        unsafe { self.results.run(threads, out, &|terms, at| self.sums(terms, at, data)) }
    }
}
