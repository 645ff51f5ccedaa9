//! A block of results whose sums stay near: its loops, and where its sums go.

use crate::permute::{Pair, Permutation};
use crate::simd::{Caches, follows_one_stream};
use tensorwrapper_core::backend::fuse::{self, Axis};

/// Axes over the large factor, the vector and the result, or the sums of a block.
pub(super) type Loop = Axis<[isize; 3]>;
/// Where strides and positions of the large factor stand.
pub(super) const LARGE: usize = 0;
/// Where those of the vector stand.
pub(super) const VECTOR: usize = 1;
/// Where those of the result stand, or of the sums.
pub(super) const SUMS: usize = 2;
/// Terms of a sum that needs no total beside it, at most: long sums stay accurate.
const LEAF: usize = 256;

/// What a kernel does along the innermost axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Along {
    /// It is summed: dot products.
    Sum,
    /// It is one of the result's: scaled additions.
    Result,
    /// It is one of the vector's and the result's: products of elements.
    Both,
}

/// A block of results whose sums stay near: its loops.
#[derive(Debug)]
pub(super) struct Block {
    /// Around the two innermost loops.
    pub(super) outer: Vec<Loop>,
    pub(super) next: Loop,
    pub(super) run: Loop,
    pub(super) along: Along,
    /// Whether rows follow each other in a part of the large factor that the second cache does not hold, and are read fastest one by one.
    pub(super) is_stream: bool,
    /// Steps of the outer loops after which all sums are added to the totals; 0 where terms are so few that sums are the totals. Sums over
    /// more rows than a leaf has terms are added as each of its leaves is complete.
    pub(super) leaf: usize,
    /// Terms that are added to a sum before it is added to its total.
    pub(super) piece: usize,
    /// Number of sums, and the way from them to the result.
    pub(super) len: usize,
    pub(super) write: Permutation,
}

/// What a kernel sums: the conjugate of every sum where the large factor is conjugated.
#[derive(Debug)]
pub(super) struct Task<'a, T> {
    pub(super) block: &'a Block,
    /// Of the large factor and the vector.
    pub(super) conjugate: [bool; 2],
    pub(super) data: [&'a [T]; 2],
    pub(super) start: [isize; 3],
}

impl Block {
    /// The loops of a block.
    pub(super) fn new<T>(mut axes: Vec<Loop>) -> Block {
        let mut pairs: Vec<Pair> = Vec::new();
        let len = side_by_side(&mut axes, |axis, stride| {
            pairs.push(Axis { extent: axis.extent, strides: [stride, axis.strides[SUMS]] });
        });
        fuse::fuse(&mut axes);
        let is_far = fuse::points(&axes).saturating_mul(size_of::<T>()) > Caches::here().second;
        let one = Axis { extent: 1, strides: [0; 3] };
        let run = axes.pop().unwrap_or(one);
        let next = axes.pop().unwrap_or(one);
        let along = match run.strides {
            [_, _, 0] => Along::Sum,
            [_, 0, _] => Along::Result,
            _ => Along::Both,
        };
        let is_stream = next.strides[LARGE] == run.extent as isize && is_far && follows_one_stream();
        let is_summed = |axis: &Loop| axis.strides[SUMS] == 0;
        let rows = if is_summed(&next) { next.extent } else { 1 };
        let summed: usize = axes.iter().filter(|axis| is_summed(axis)).map(|axis| axis.extent).product();
        // Steps that go to one sum after the other.
        let others: usize = axes.iter().rev().take_while(|axis| !is_summed(axis)).map(|axis| axis.extent).product();
        let terms = summed.saturating_mul(rows);
        // As many in a sum as sums in a total.
        let piece = terms.isqrt().max(LEAF);
        let leaf = if terms > LEAF { (piece / rows).max(1) * others } else { 0 };
        Block { outer: axes, next, run, along, is_stream, leaf, piece, len, write: Permutation::new(pairs, size_of::<T>()) }
    }
}

/// Gives the results of these axes strides of memory of their own, in the order of the axes; how many there are. `each` is told about every
/// axis before that.
pub(super) fn side_by_side(axes: &mut [Loop], mut each: impl FnMut(&Loop, isize)) -> usize {
    let mut stride = 1;
    for axis in axes.iter_mut().rev().filter(|axis| axis.strides[SUMS] != 0) {
        each(axis, stride);
        axis.strides[SUMS] = stride;
        stride *= axis.extent as isize;
    }
    stride as usize
}
