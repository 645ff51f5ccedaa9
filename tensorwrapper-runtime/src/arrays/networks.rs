//! A network of comparisons that sorts many lines side by side: a vector has an element of each of several lines, and one comparison of
//! two vectors orders all of them. Which are compared does not depend on the elements, so that there is no branch to be guessed.
//!
//! The comparisons are those of Batcher's bitonic merge sort (Knuth, The Art of Computer Programming, volume 3, section 5.3.4), with the
//! second half of each merge read backwards, so that the smaller element always goes up and rows behind the last one may be missing.
//! A line of n elements takes n log²(n) / 4 of them, more than other ways take, and that is why long lines are left to these. Eight rows
//! are ordered at once in registers, by three levels of the merge: its comparisons are cheap, and reading and writing rows is not.
//!
//! This file does not know where lines come from; that is `side_by_side.rs`.

use std::array::from_fn;

use tensorwrapper_core::stored::Stored;
use tensorwrapper_cpu::Loops;

/// Rows that are ordered at once.
pub(super) const FEW: usize = 8;
/// Rows that stay near the processor while they are merged among themselves.
const NEAR: usize = 512;

/// An element of each of several lines, and where it was. Places are `()` if nobody asks for them. A row begins at a cache line: what
/// lies across two of them takes twice as long to read.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Row<T, P, const L: usize> {
    pub(super) elements: [T; L],
    pub(super) places: [P; L],
}

/// An element with its place.
type Placed<T, P> = (T, P);

/// The smaller of two elements, and the other one. Places differ, so that equal elements are put in their order by these.
#[inline(always)]
fn exchanged<T: Stored + PartialOrd, P: Copy + Ord>((x, n): Placed<T, P>, (y, m): Placed<T, P>) -> (Placed<T, P>, Placed<T, P>) {
    let is_less = (y < x) | ((y == x) & (m < n));
    ((if is_less { y } else { x }, if is_less { m } else { n }), (if is_less { x } else { y }, if is_less { n } else { m }))
}

/// Comparisons of a few elements. A type stands where a closure could: one that is not inlined is not compiled for the instructions of
/// the loops around it.
trait Network<const N: usize> {
    fn order<T: Stored + PartialOrd, P: Copy + Ord>(few: &mut [Placed<T, P>; N]);
}

/// Networks of the pairs that they compare, the one that gets the smaller element first.
macro_rules! networks {
    ($($(#[$doc:meta])* $name:ident of $number:literal: $($upper:literal $lower:literal),*;)*) => { $(
        $(#[$doc])*
        struct $name;
        impl Network<$number> for $name {
            #[inline(always)]
            fn order<T: Stored + PartialOrd, P: Copy + Ord>(few: &mut [Placed<T, P>; $number]) {
                $((few[$upper], few[$lower]) = exchanged(few[$upper], few[$lower]);)*
            }
        }
    )* };
}

networks! {
    /// Sorts by the fewest comparisons.
    Sort of 8: 0 2, 1 3, 4 6, 5 7, 0 4, 1 5, 2 6, 3 7, 0 1, 2 3, 4 5, 6 7, 2 4, 3 5, 1 4, 3 6, 1 2, 3 4, 5 6;
    /// The first three levels of a merge.
    First of 8: 0 7, 1 6, 2 5, 3 4, 0 2, 1 3, 4 6, 5 7, 0 1, 2 3, 4 5, 6 7;
    /// Any three levels after the first one.
    Next of 8: 0 4, 1 5, 2 6, 3 7, 0 2, 1 3, 4 6, 5 7, 0 1, 2 3, 4 5, 6 7;
    Pair of 2: 0 1;
}

/// Orders the rows at some places by a network. The loop over the lanes is the innermost one, which the compiler makes vectors of.
#[inline(always)]
fn order<T, P, W, const L: usize, const N: usize>(rows: &mut [Row<T, P, L>], at: [usize; N], _: W)
where
    T: Stored + PartialOrd,
    P: Copy + Ord,
    W: Network<N>,
{
    let before: [Row<T, P, L>; N] = from_fn(|n| rows[at[n]]);
    let mut after = before;
    for lane in 0..L {
        let mut few = from_fn(|n| (before[n].elements[lane], before[n].places[lane]));
        W::order(&mut few);
        for n in 0..N {
            (after[n].elements[lane], after[n].places[lane]) = few[n];
        }
    }
    for n in 0..N {
        rows[at[n]] = after[n];
    }
}

/// One level of a merge, for rows of which some are missing at the end: compares the halves of each `2 * half` rows.
#[inline(always)]
fn level<T: Stored + PartialOrd, P: Copy + Ord, const L: usize>(rows: &mut [Row<T, P, L>], half: usize, is_first: bool) {
    for middle in (half..rows.len()).step_by(2 * half) {
        for lower in middle..rows.len().min(middle + half) {
            let upper = if is_first { 2 * middle - 1 - lower } else { lower - half };
            order(rows, [upper, lower], Pair);
        }
    }
}

/// Three levels of a merge: of the eighths of each `8 * eighth` rows, and where some are missing level by level. Levels below `FEW` rows
/// are left to the last three, which compare the rows next to each other.
#[inline(always)]
fn three_levels<T: Stored + PartialOrd, P: Copy + Ord, const L: usize>(rows: &mut [Row<T, P, L>], eighth: usize, is_first: bool) {
    let size = 8 * eighth;
    let (whole, rest) = rows.split_at_mut(rows.len() / size * size);
    for start in (0..whole.len()).step_by(size) {
        for row in start..start + eighth {
            if is_first {
                let last = 2 * start + size - 1 - row;
                order(whole, from_fn(|n| if n < 4 { row + n * eighth } else { last - (7 - n) * eighth }), First);
            } else {
                order(whole, from_fn(|n| row + n * eighth), Next);
            }
        }
    }
    let mut half = size / 2;
    while half >= FEW.max(eighth) {
        level(rest, half, is_first && half == size / 2);
        half /= 2;
    }
}

/// Merges the sorted halves of each `size` rows, a power of two of at least 16. A level that is repeated finds everything in order.
#[inline(always)]
fn merge<T: Stored + PartialOrd, P: Copy + Ord, const L: usize>(rows: &mut [Row<T, P, L>], size: usize) {
    let mut eighth = size / 8;
    three_levels(rows, eighth, true);
    while eighth > 1 {
        eighth = (eighth / 8).max(1);
        three_levels(rows, eighth, false);
    }
}

/// Sorts rows, of which there are a multiple of [`FEW`].
pub(super) struct Sorted<'l, T, P, const L: usize>(pub(super) &'l mut [Row<T, P, L>]);

impl<T: Stored + PartialOrd, P: Copy + Ord, const L: usize> Loops for Sorted<'_, T, P, L> {
    type Result = ();
    #[inline(always)]
    fn run(self) {
        let len = self.0.len();
        for start in (0..len).step_by(FEW) {
            order::<_, _, _, L, FEW>(self.0, from_fn(|n| start + n), Sort);
        }
        for (together, smallest, largest) in [(NEAR, 2 * FEW, NEAR), (len, 2 * NEAR, usize::MAX)] {
            for rows in self.0.chunks_mut(together) {
                let mut size = smallest;
                while size <= largest && size < 2 * rows.len() {
                    merge(rows, size);
                    size *= 2;
                }
            }
        }
    }
}
