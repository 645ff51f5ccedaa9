//! Reductions of chunks: into a chunk of results, or into one value. In loops whose order of additions is their own.
//!
//! Eight rows that lie apart are folded in one pass over the results, and rows that follow each other in memory two at a time: each is the
//! way in which memory is read fastest.

#![allow(clippy::needless_range_loop, reason = "iterators over arrays are compiled without a kernel's instructions")]

use std::ops::Range;

use super::multiversion::{Loops, dispatch, dispatch_narrow};
use crate::simd::Simd;
use tensorwrapper_core::backend::Reduction;
use tensorwrapper_core::backend::function::Scalar;
use tensorwrapper_core::backend::reduce::{maximum, minimum};

/// Reduced points, or chunks of them, folded one after the other at the leaves of the tree.
const LEAF: usize = 32;
/// Rows that are folded into a chunk of results in one pass.
pub(super) const ROWS: usize = 8;

/// Rows that are folded into a chunk of results, one after the other.
pub(super) struct Rows<'r, T> {
    pub(super) reduction: Reduction,
    /// Whether there are results, or the first row is them.
    pub(super) begun: bool,
    /// Whether they follow each other in memory, which is read fastest from one place.
    pub(super) follow: bool,
    pub(super) rows: &'r [&'r [T]],
}

/// Folds values into a chunk of results.
pub(super) fn combine<T: Scalar>(simd: Simd, reduction: Reduction, folded: &mut [T], values: &[T]) {
    combine_rows(simd, Rows { reduction, begun: true, follow: false, rows: &[values] }, folded);
}

/// Folds rows into a chunk of results.
pub(super) fn combine_rows<T: Scalar>(simd: Simd, rows: Rows<'_, T>, folded: &mut [T]) {
    // Short rows lie across lines as often as not.
    let is_narrow = rows.follow;
    let combine = Combine { rows, folded };
    if is_narrow { dispatch_narrow(simd, combine) } else { dispatch(simd, combine) }
}

struct Combine<'r, 'f, T> {
    rows: Rows<'r, T>,
    folded: &'f mut [T],
}

impl<T: Scalar> Loops for Combine<'_, '_, T> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        match self.rows.reduction {
            Reduction::Sum => self.each(|a, b| a + b),
            Reduction::Product => self.each(|a, b| a * b),
            Reduction::Max => self.each(maximum),
            Reduction::Min => self.each(minimum),
        }
    }
}

impl<T: Scalar> Combine<'_, '_, T> {
    #[inline(always)]
    fn each(self, operation: impl Fn(T, T) -> T) {
        let Rows { begun, follow, rows, .. } = self.rows;
        match rows.first_chunk::<ROWS>().filter(|_| !follow) {
            Some(rows) if begun => several::<T, ROWS, true>(self.folded, rows, operation),
            Some(rows) => several::<T, ROWS, false>(self.folded, rows, operation),
            None => {
                let begin = usize::from(!begun);
                for row in &rows[..begin] {
                    self.folded.copy_from_slice(row);
                }
                // Two at a time: of one, a compiler makes the larger of a result and a value a store under a mask, which takes some
                // processors ten times as long.
                let (pairs, last) = rows[begin..].as_chunks::<2>();
                pairs.iter().for_each(|pair| several::<T, 2, true>(self.folded, pair, &operation));
                last.iter().for_each(|row| several::<T, 1, true>(self.folded, &[row], &operation));
            }
        }
    }
}

/// A chunk, which is not empty, as one value.
pub(super) fn fold_all_by<T: Scalar>(simd: Simd, reduction: Reduction, values: &[T]) -> T {
    dispatch(simd, All { reduction, values })
}

struct All<'v, T> {
    reduction: Reduction,
    values: &'v [T],
}

impl<T: Scalar> Loops for All<'_, T> {
    type Result = T;

    #[inline(always)]
    fn run(self) -> T {
        fold_all(self.reduction, self.values)
    }
}

/// Folds a chunk, which is not empty, into one value, inside other loops.
#[inline(always)]
pub(super) fn fold_all<T: Scalar>(reduction: Reduction, values: &[T]) -> T {
    match reduction {
        Reduction::Sum => fold(values, |a, b| a + b),
        Reduction::Product => fold(values, |a, b| a * b),
        Reduction::Max => fold(values, maximum),
        Reduction::Min => fold(values, minimum),
    }
}

/// Folds a chunk, which is not empty: as many running results as hide the latency of additions, then those, and with them what
/// is left of the chunk.
#[inline(always)]
fn fold<T: Copy>(values: &[T], operation: impl Fn(T, T) -> T) -> T {
    let Some((first, rest)) = values.split_first_chunk::<32>() else {
        return fold_short(values, operation);
    };
    let mut lanes = *first;
    let (blocks, rest) = rest.as_chunks::<32>();
    for block in blocks {
        lanes = both(&lanes, block, &operation);
    }
    let (lanes, rest) = half::<T, 32, 16>(&lanes, rest, &operation);
    let (lanes, rest) = half::<T, 16, 8>(&lanes, rest, &operation);
    let (lanes, rest) = half::<T, 8, 4>(&lanes, rest, &operation);
    let (lanes, rest) = half::<T, 4, 2>(&lanes, rest, &operation);
    let (lanes, _) = half::<T, 2, 1>(&lanes, rest, &operation);
    lanes[0]
}

/// Folds fewer values than there are running results.
#[inline(always)]
fn fold_short<T: Copy>(values: &[T], operation: impl Fn(T, T) -> T) -> T {
    let Some((first, rest)) = values.split_first_chunk::<4>() else {
        return values[1..].iter().fold(values[0], |a, &b| operation(a, b));
    };
    let mut lanes = *first;
    let (blocks, rest) = rest.as_chunks::<4>();
    for block in blocks {
        lanes = both(&lanes, block, &operation);
    }
    let (lanes, rest) = half::<T, 4, 2>(&lanes, rest, &operation);
    let (lanes, _) = half::<T, 2, 1>(&lanes, rest, &operation);
    lanes[0]
}

#[inline(always)]
fn both<T: Copy, const N: usize>(a: &[T; N], b: &[T; N], operation: &impl Fn(T, T) -> T) -> [T; N] {
    let mut folded = *a;
    for n in 0..N {
        folded[n] = operation(a[n], b[n]);
    }
    folded
}

/// Folds one half of the running results into the other, and as many values where there are more.
#[inline(always)]
fn half<'v, T: Copy, const N: usize, const HALF: usize>(
    lanes: &[T; N],
    values: &'v [T],
    operation: &impl Fn(T, T) -> T,
) -> ([T; HALF], &'v [T]) {
    let mut folded = [lanes[0]; HALF];
    for n in 0..HALF {
        folded[n] = operation(lanes[n], lanes[n + HALF]);
    }
    match values.split_first_chunk::<HALF>() {
        Some((next, values)) => (both(&folded, next, operation), values),
        None => (folded, values),
    }
}

/// One plain loop over the results, whose accesses all follow each other. Blocks of fixed length would be unrolled first, and what
/// is left then be made vectors of by gathering elements of different blocks, several times as slow.
#[inline(always)]
fn several<T: Copy, const N: usize, const BEGUN: bool>(folded: &mut [T], rows: &[&[T]; N], operation: impl Fn(T, T) -> T) {
    let len = folded.len();
    let rows = rows.map(|row| &row[..len]);
    for n in 0..len {
        let mut value = if BEGUN { operation(folded[n], rows[0][n]) } else { rows[0][n] };
        for r in 1..N {
            value = operation(value, rows[r][n]);
        }
        folded[n] = value;
    }
}

/// Folds rows of so many values into the first of them, in pairs.
pub(super) fn fold_in_pairs<T: Scalar>(simd: Simd, reduction: Reduction, rows: &mut [T], len: usize) {
    let count = rows.len() / len.max(1);
    if count > 1 {
        let (left, right) = rows.split_at_mut(count.div_ceil(2) * len);
        fold_in_pairs(simd, reduction, left, len);
        fold_in_pairs(simd, reduction, right, len);
        combine(simd, reduction, &mut left[..len], &right[..len]);
    }
}

/// The two halves of a range that is more than a leaf of the tree.
pub(super) fn halves(range: &Range<usize>) -> Option<(Range<usize>, Range<usize>)> {
    let middle = range.start + (range.len() / 2).next_multiple_of(LEAF);
    if range.len() > LEAF { Some((range.start..middle, middle..range.end)) } else { None }
}
