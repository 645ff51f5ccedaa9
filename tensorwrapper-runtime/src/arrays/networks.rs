//! Sorts the columns of a matrix side by side: a vector has an element of each of several columns, and one comparison of two rows orders
//! all of them. Which rows are compared does not depend on the elements, so that there is no branch to be guessed.
//!
//! The comparisons are those of Batcher's odd-even merge sort (Knuth, The Art of Computer Programming, volume 3, section 5.3.4).
//! A column of n elements takes n log²(n) / 4 of them, more than other ways take, and that is why long columns are left to these.

use std::ops::Range;

use tensorwrapper_core::error::Error;
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::stored::Stored;
use tensorwrapper_cpu::{Loops, vectorised_reads};

/// Columns that are sorted at once.
const LANES: usize = 16;
/// Rows that stay in the first cache while they are merged among themselves.
const NEAR: usize = 256;

/// Whether a matrix has enough columns, and these are short enough, for the network to be ahead of sorting each column by itself.
pub(super) fn pays(rows: usize, columns: usize) -> bool {
    const LONGEST: usize = 1 << 14;
    // Fewer take as long as all lanes.
    const FEWEST: usize = 12;
    columns >= FEWEST && (2..=LONGEST).contains(&rows)
}

/// Merges the sorted halves of each `size` rows, a power of two, between two rows. Rows behind the last one count as the largest.
///
/// The function is called in one place, so that it is inlined and compiled for the instructions of the loops around it.
#[inline(always)]
fn merge(rows: Range<usize>, size: usize, order: &mut impl FnMut(usize, usize)) {
    for start in rows.clone().step_by(size) {
        let end = rows.end.min(start + size);
        let (mut distance, mut first) = (size / 2, start);
        while distance > 0 {
            let last = end.saturating_sub(distance);
            for from in (first..last).step_by(2 * distance) {
                (from..last.min(from + distance)).for_each(|row| order(row, row + distance));
            }
            distance /= 2;
            first = start + distance;
        }
    }
}

/// Calls a function for all pairs of rows to be put in order, the first one before the second one.
#[inline(always)]
fn network(rows: usize, mut order: impl FnMut(usize, usize)) {
    for (together, smallest, largest) in [(NEAR, 2, NEAR), (rows, 2 * NEAR, usize::MAX)] {
        for start in (0..rows).step_by(together) {
            let end = rows.min(start + together);
            let mut size = smallest;
            while size <= largest && size < 2 * (end - start) {
                merge(start..end, size, &mut order);
                size *= 2;
            }
        }
    }
}

struct Sorted<'l, T>(&'l mut [[T; LANES]]);

impl<T: Stored + PartialOrd> Loops for Sorted<'_, T> {
    type Result = ();
    #[inline(always)]
    fn run(self) {
        network(self.0.len(), |upper, lower| {
            let (above, below) = self.0.split_at_mut(lower);
            for (first, second) in above[upper].iter_mut().zip(&mut below[0]) {
                let (x, y) = (*first, *second);
                *first = if y < x { y } else { x };
                *second = if y < x { x } else { y };
            }
        });
    }
}

/// Elements, and where each of them was. Places differ, so that equal elements are put in their order by these.
struct Placed<'l, T>(&'l mut [[T; LANES]], &'l mut [[i64; LANES]]);

impl<T: Stored + PartialOrd> Loops for Placed<'_, T> {
    type Result = ();
    #[inline(always)]
    fn run(self) {
        network(self.0.len(), |upper, lower| {
            let (above, below) = self.0.split_at_mut(lower);
            let (places_above, places_below) = self.1.split_at_mut(lower);
            let elements = above[upper].iter_mut().zip(&mut below[0]);
            let places = places_above[upper].iter_mut().zip(&mut places_below[0]);
            for ((first, second), (to_first, to_second)) in elements.zip(places) {
                let ((x, y), (n, m)) = ((*first, *second), (*to_first, *to_second));
                let exchanged = (y < x) | ((y == x) & (m < n));
                (*first, *to_first) = if exchanged { (y, m) } else { (x, n) };
                (*second, *to_second) = if exchanged { (x, n) } else { (y, m) };
            }
        });
    }
}

/// Calls a function for the first of each `LANES` columns, of as many as there are if there are fewer. Those at the end may come twice.
fn in_blocks(columns: usize, mut sort: impl FnMut(Range<usize>)) {
    let width = columns.min(LANES);
    (0..columns).step_by(LANES).map(|start| start.min(columns - width)).for_each(|start| sort(start..start + width));
}

/// Copies a block of the columns of a matrix into the first lanes.
fn read<T: Copy>(matrix: &[T], columns: usize, block: &Range<usize>, rows: &mut [[T; LANES]]) {
    let lines = matrix.chunks_exact(columns);
    rows.iter_mut().zip(lines).for_each(|(row, line)| row[..block.len()].copy_from_slice(&line[block.clone()]));
}

/// Copies the first lanes to a block of the columns of a matrix.
fn write<T: Copy>(rows: &[[T; LANES]], matrix: &mut [T], columns: usize, block: &Range<usize>) {
    let lines = matrix.chunks_exact_mut(columns);
    rows.iter().zip(lines).for_each(|(row, line)| line[block.clone()].copy_from_slice(&row[..block.len()]));
}

/// Sorts each column of a row-major matrix. There is no NaN.
///
/// # Errors
/// The system has no memory for some columns.
pub(super) fn sort<T: Stored + PartialOrd>(matrix: &mut [T], columns: usize) -> Result<(), Error> {
    let mut block = Owned::zeros(matrix.len() / columns * LANES)?;
    let rows = block.as_chunks_mut::<LANES>().0;
    in_blocks(columns, |block| {
        read(matrix, columns, &block, rows);
        vectorised_reads(Sorted(rows));
        write(rows, matrix, columns, &block);
    });
    Ok(())
}

/// For each column of a row-major matrix the rows of its elements in their order, of equal elements the upper one first. There is no NaN.
///
/// # Errors
/// As [`sort`].
pub(super) fn argsort<T: Stored + PartialOrd>(matrix: &[T], columns: usize, to: &mut [i64]) -> Result<(), Error> {
    let len = matrix.len() / columns * LANES;
    let (mut block, mut places) = (Owned::zeros(len)?, Owned::zeros(len)?);
    let (rows, places) = (block.as_chunks_mut::<LANES>().0, places.as_chunks_mut::<LANES>().0);
    in_blocks(columns, |block| {
        read(matrix, columns, &block, rows);
        places.iter_mut().zip(0..).for_each(|(row, n)| row.fill(n));
        vectorised_reads(Placed(rows, places));
        write(places, to, columns, &block);
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Elements of few kinds, so that many are equal.
    fn drawn(len: usize, state: &mut u64) -> Vec<f32> {
        let mut draw = || {
            *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (*state >> 33) as f32
        };
        (0..len).map(|_| draw() % 50.0 - 25.0).collect()
    }

    fn column<T: Copy>(matrix: &[T], columns: usize, column: usize) -> Vec<T> {
        matrix.iter().copied().skip(column).step_by(columns).collect()
    }

    /// As many rows as end anywhere within the powers of two, and across the rows that are merged first.
    #[test]
    fn columns_are_sorted_as_each_is_by_itself() {
        let mut state = 1;
        for rows in (2..70).chain([255, 256, 257, 300, 511, 513, 1000]) {
            let columns = 1 + (state >> 40) as usize % 40;
            let matrix = drawn(rows * columns, &mut state);
            let (mut sorted, mut places) = (matrix.clone(), vec![0; matrix.len()]);
            sort(&mut sorted, columns).unwrap();
            argsort(&matrix, columns, &mut places).unwrap();
            for n in 0..columns {
                let line = column(&matrix, columns, n);
                let mut expected: Vec<(f32, i64)> = line.into_iter().zip(0..).collect();
                expected.sort_by(|(x, _), (y, _)| x.total_cmp(y));
                let (elements, from): (Vec<f32>, Vec<i64>) = expected.into_iter().unzip();
                assert_eq!(column(&sorted, columns, n), elements, "{rows} rows, column {n} of {columns}");
                assert_eq!(column(&places, columns, n), from, "{rows} rows, column {n} of {columns}");
            }
        }
    }
}
