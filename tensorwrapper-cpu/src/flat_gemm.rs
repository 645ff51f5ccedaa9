//! Products of a large matrix with few rows of many terms: a flat matrix, whose sums stay in the first cache.
//!
//! Memory limits them. So the large matrix is read once, as it lies: a run of neighbours of a few of its rows at a time, which are scaled
//! and added to the running sums of all rows of the result. Lines are asked for a few rows ahead. Tiles in registers would read a few
//! lines of each row and then go on to the next one, which is far away in memory.

#![allow(clippy::needless_range_loop, reason = "iterators over arrays are compiled without a kernel's instructions")]

#[cfg(test)]
mod tests;

use std::ops::Range;

use super::large_first::{FEW, LARGE, LargeFirst, Loop, Numbers, SMALL};
use super::pieces::Cuts;
use super::product::{ClassifiedAxes, IN_VECTORS, OUT, even, positions};
use super::product_kernel::ProductKernel;
use super::simd::vector::{MOST_LANES, Vector};
use super::simd::{Caches, Simd, by_vectors};
use super::sink::Sink;
use super::tasks;
use tensorwrapper_core::backend::fuse::{self, Odometer, points};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::memory::zeros;
use tensorwrapper_core::storage::LINE;

/// Terms: with fewer, sums stay in registers (`narrow_gemm`); a list of more of them would be long.
const TERMS: Range<usize> = FEW + 1..1 << 16;
/// Bytes of neighbours in the large factor, and in the result, at least.
const LEAST: usize = 1 << 10;
/// Bytes of a run at most: processors fetch ahead within a page, and longer ones bring nothing.
const MOST: usize = 2 << 10;
/// Terms that are added to a running sum together; their lines are asked for while those before them are added.
const TOGETHER: usize = 4;
/// Terms of running sums before these are added to the result, so that long sums stay accurate.
const LEAF: usize = 256;
/// Columns up to which the large factor may be small.
const FEWER: usize = 6;
/// Columns that are computed together, of vectors with many registers and with few: their numbers stay in registers.
const WIDE: usize = 6;
const NARROW: usize = 2;
/// [`Vector::ROWS`] of those with many.
const MANY_REGISTERS: usize = 8;

/// A product, prepared.
#[derive(Debug)]
pub(super) struct FlatGemm<T> {
    /// The factor that is the large one.
    large: usize,
    /// The runs, and the loops around them.
    cuts: Cuts,
    /// Their lengths, by their form.
    lens: Vec<usize>,
    /// Where rows of the large factor begin, and rows of the result.
    terms: Vec<isize>,
    columns: Vec<isize>,
    start: [isize; 3],
    numbers: Numbers<T>,
    kernel: Kernel<T>,
}

/// Runs of all rows of the large factor, and what becomes of them.
struct Task<'a, T> {
    len: usize,
    terms: &'a [isize],
    from: *const T,
    /// For each term and column.
    numbers: *const T,
    columns: &'a [isize],
    to: *mut T,
    /// Running sums, and reals from one column's to the next one's.
    sums: *mut T,
    apart: usize,
}

type Kernel<T> = unsafe fn(&Task<'_, T>);

impl<T: Element> FlatGemm<T> {
    /// Prepares a product; nothing where there are few terms or many columns, where neighbours in the large factor are
    /// none in the result, or where there are too few of them for these threads.
    pub(super) fn new(sorted: &ClassifiedAxes<T>, threads: usize, simd: Simd) -> Option<FlatGemm<T>> {
        // With more columns, tiles in registers compute longer than memory takes.
        let n = points(&sorted.rows).min(points(&sorted.columns));
        if n > FEW || !TERMS.contains(&points(&sorted.inner)) || sorted.multiplications() <= IN_VECTORS {
            return None;
        }
        let mut product = LargeFirst::new(sorted);
        if sorted.conjugate[product.large] && T::DTYPE.is_complex() {
            return None;
        }
        let is_run = |axis: &Loop| axis.strides[LARGE] == 1 && axis.strides[OUT] == 1;
        let run = product.rows.iter().position(is_run).filter(|&run| product.rows[run].extent * size_of::<T>() >= LEAST)?;
        let elements: usize = [&product.batch, &product.rows, &product.inner].into_iter().map(|axes| points(axes)).product();
        if n > FEWER && elements * size_of::<T>() < Caches::here().second / 2 {
            return None;
        }
        fuse::sort(&mut product.inner, &[LARGE]);
        let numbers = Numbers::new(&mut product, sorted);
        let LargeFirst { large, batch, rows, columns, inner, start } = product;
        // Running sums of all columns, the rows that are being read and those that are asked for share the first cache.
        let most = (Caches::here().first / 3 * 2 / (n + 2 * TOGETHER)).clamp(LEAST / 2, MOST) / size_of::<T>();
        let others = points(&batch) * points(&rows) / rows[run].extent;
        let threads = tasks::worth_pass(threads, sorted.multiplications().saturating_mul(points(&batch)));
        let each = rows[run].extent.div_ceil(threads.div_ceil(others));
        if each * size_of::<T>() < LEAST / 2 {
            return None;
        }
        let run_len = even(rows[run].extent, most.min(each)).next_multiple_of(LINE / size_of::<T>());
        let cuts = Cuts::new(&rows, &[(run, run_len.min(rows[run].extent))]).inside_of(batch);
        let lens = cuts.forms().map(|run| points(&run)).collect();
        let terms = positions(&inner, LARGE);
        let columns = positions(&columns, OUT);
        Some(FlatGemm { large, cuts, lens, terms, columns, start, numbers, kernel: kernel::<T>(simd) })
    }

    /// Elements from one column's running sums to the next one's: whole vectors.
    fn apart(&self) -> usize {
        self.lens[0].next_multiple_of(MOST_LANES)
    }

    /// Computes the runs of these numbers.
    fn runs(&self, range: Range<usize>, large: &[T], numbers: &[T], out: Sink<'_, T>) -> Result<(), Error> {
        let mut sums = zeros::<T>(self.apart() * self.columns.len())?;
        let mut walk = Odometer::new(&self.cuts.around, &self.start, range.start);
        for _ in range {
            let (at, len) = (walk.position, self.lens[self.cuts.form(&walk)]);
            walk.step();
            // SAFETY: positions lie inside the memory, sums have room for all columns of a run; these elements of the result are this
            // task's alone, and the processor has the kernel's instructions.
            unsafe {
                (self.kernel)(&Task {
                    len,
                    terms: &self.terms,
                    from: large.as_ptr().offset(at[LARGE]),
                    numbers: numbers.as_ptr().offset(at[SMALL]),
                    columns: &self.columns,
                    to: out.base().offset(at[OUT]),
                    sums: sums.as_mut_ptr(),
                    apart: self.apart() * size_of::<T>() / size_of::<T::Real>(),
                });
            }
        }
        Ok(())
    }
}

impl<T: Element> ProductKernel<T> for FlatGemm<T> {
    fn method(&self) -> &'static str {
        "flat matrix"
    }

    fn work_space(&self, threads: usize) -> usize {
        self.numbers.len() + threads * self.apart() * self.columns.len()
    }

    unsafe fn run(&self, threads: usize, data: [&[T]; 2], out: Sink<'_, T>) -> Result<(), Error> {
        let numbers = self.numbers.make(threads, data)?;
        let each = self.lens[0] * self.terms.len() * self.columns.len();
        let items = points(&self.cuts.around);
        tasks::failing(|failed| {
            tasks::split_pass(threads, items, items.saturating_mul(each), &|range| {
                failed(self.runs(range, data[self.large], &numbers, out));
            });
        })
    }
}

/// The kernel for these instructions.
fn kernel<T: Element>(simd: Simd) -> Kernel<T> {
    by_vectors!(simd, T, all(task: &Task<'_, T>))
}

/// All terms of a run.
///
/// # Safety
/// All rows of the large factor and of the result have so many elements; there is a number for each term and column, and there are running
/// sums of whole vectors for each column; the processor has the instructions.
#[inline(always)]
unsafe fn all<V: Vector, T: Element, const PARTS: usize>(task: &Task<'_, T>) {
    let vectors = (task.len * PARTS).div_ceil(V::LANES);
    let count = task.columns.len();
    let sums = task.sums.cast::<V::Real>();
    let most = (if V::ROWS >= MANY_REGISTERS { WIDE } else { NARROW }) / PARTS;
    let passes = count.div_ceil(most);
    // SAFETY: the caller's promise.
    unsafe {
        for first in (0..task.terms.len()).step_by(LEAF) {
            for column in 0..count {
                for v in 0..vectors {
                    V::splat(V::Real::ZERO).store(sums.add(column * task.apart + v * V::LANES));
                }
            }
            let end = task.terms.len().min(first + LEAF);
            let mut term = first;
            while term < end {
                let is_whole = term + TOGETHER <= end;
                for pass in 0..passes {
                    let columns = count * pass / passes..count * (pass + 1) / passes;
                    match (is_whole, pass == 0) {
                        (true, true) => some_columns::<V, T, PARTS, TOGETHER, true>(task, term, columns),
                        (true, false) => some_columns::<V, T, PARTS, TOGETHER, false>(task, term, columns),
                        (false, _) => some_columns::<V, T, PARTS, 1, false>(task, term, columns),
                    }
                }
                term += if is_whole { TOGETHER } else { 1 };
            }
            finish::<V, T, PARTS>(task, first > 0);
        }
    }
}

/// Adds `K` terms to the running sums of these columns, and asks for the lines of later ones if `ASKS`.
///
/// # Safety
/// As [`all`]; there are `K` terms from `term` on.
#[inline(always)]
unsafe fn some_columns<V: Vector, T: Element, const PARTS: usize, const K: usize, const ASKS: bool>(
    task: &Task<'_, T>,
    term: usize,
    columns: Range<usize>,
) {
    // SAFETY: the caller's promise.
    unsafe {
        match columns.len() {
            1 => some::<V, T, PARTS, K, 1, ASKS>(task, term, columns.start),
            2 => some::<V, T, PARTS, K, 2, ASKS>(task, term, columns.start),
            3 if V::ROWS >= MANY_REGISTERS => some::<V, T, PARTS, K, 3, ASKS>(task, term, columns.start),
            4 if V::ROWS >= MANY_REGISTERS && PARTS == 1 => some::<V, T, PARTS, K, 4, ASKS>(task, term, columns.start),
            5 if V::ROWS >= MANY_REGISTERS && PARTS == 1 => some::<V, T, PARTS, K, 5, ASKS>(task, term, columns.start),
            WIDE if V::ROWS >= MANY_REGISTERS && PARTS == 1 => some::<V, T, PARTS, K, WIDE, ASKS>(task, term, columns.start),
            other => unreachable!("{other} columns at once"),
        }
    }
}

/// The numbers of `K` terms and `COLUMNS` columns, each in all lanes of a vector.
#[inline(always)]
unsafe fn numbers<V: Vector, T: Element, const PARTS: usize, const K: usize, const COLUMNS: usize>(
    task: &Task<'_, T>,
    term: usize,
    column: usize,
) -> [[[V; PARTS]; K]; COLUMNS] {
    // SAFETY: the caller's promise: there are so many terms and columns.
    unsafe {
        let mut numbers = [[[V::splat(V::Real::ZERO); PARTS]; K]; COLUMNS];
        for k in 0..K {
            let from = task.numbers.add((term + k) * task.columns.len() + column).cast::<V::Real>();
            for n in 0..COLUMNS {
                for p in 0..PARTS {
                    numbers[n][k][p] = V::splat(from.add(n * PARTS + p).read());
                }
            }
        }
        numbers
    }
}

/// Adds `K` terms to the running sums of `COLUMNS` columns, and asks for the lines of later ones.
#[inline(always)]
unsafe fn some<V: Vector, T: Element, const PARTS: usize, const K: usize, const COLUMNS: usize, const ASKS: bool>(
    task: &Task<'_, T>,
    term: usize,
    column: usize,
) {
    let len = task.len * PARTS;
    let last = task.terms.len() - 1;
    // SAFETY: the caller's promise; the rest of a vector is not read, and running sums are whole vectors.
    unsafe {
        let row = |term: usize| task.from.offset(task.terms[term]).cast::<V::Real>();
        let mut rows = [task.from.cast::<V::Real>(); K];
        let mut later = rows;
        for k in 0..K {
            rows[k] = row(term + k);
            later[k] = row(last.min(term + TOGETHER + k));
        }
        let numbers = numbers::<V, T, PARTS, K, COLUMNS>(task, term, column);
        let sums = task.sums.cast::<V::Real>().add(column * task.apart);
        let mut at = 0;
        while at < len {
            let mut x = [V::splat(V::Real::ZERO); K];
            for k in 0..K {
                x[k] = if at + V::LANES <= len { V::load(rows[k].add(at)) } else { V::load_some(rows[k].add(at), len - at) };
                if ASKS {
                    V::prefetch(later[k].wrapping_add(at));
                }
            }
            for n in 0..COLUMNS {
                let to = sums.add(n * task.apart + at);
                let mut sum = V::load(to);
                // Of complex numbers: products with imaginary parts, which are added times the imaginary unit.
                let mut turned = V::splat(V::Real::ZERO);
                for k in 0..K {
                    sum = sum.add_product(x[k], numbers[n][k][0]);
                    if PARTS > 1 {
                        turned = turned.add_product(x[k], numbers[n][k][PARTS - 1]);
                    }
                }
                if PARTS > 1 {
                    sum = sum.add_times_i(turned);
                }
                sum.store(to);
            }
            at += V::LANES;
        }
    }
}

/// Writes the running sums to the result, or adds them to what it holds.
#[inline(always)]
unsafe fn finish<V: Vector, T: Element, const PARTS: usize>(task: &Task<'_, T>, adds: bool) {
    let len = task.len * PARTS;
    // SAFETY: the caller's promise; the rest of a vector is neither read nor written.
    unsafe {
        for (n, &column) in task.columns.iter().enumerate() {
            let to = task.to.offset(column).cast::<V::Real>();
            let sums = task.sums.cast::<V::Real>().add(n * task.apart);
            let mut at = 0;
            while at + V::LANES <= len {
                let sum = V::load(sums.add(at));
                let sum = if adds { sum.add(V::load(to.add(at))) } else { sum };
                sum.store(to.add(at));
                at += V::LANES;
            }
            if at < len {
                let sum = V::load(sums.add(at));
                let sum = if adds { sum.add(V::load_some(to.add(at), len - at)) } else { sum };
                sum.store_some(to.add(at), len - at);
            }
        }
    }
}
