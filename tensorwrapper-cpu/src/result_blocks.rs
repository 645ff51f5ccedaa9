//! Products whose results have short runs of neighbours: a block of the result is computed in a near cache, in the order that suits the
//! engine, and then copied to where it belongs, in the order that suits memory.
//!
//! A tile of the engine holds a few rows and columns. Where axes of both factors alternate in the result, it touches many cache lines and
//! fills none. A block holds all axes inside of which the result lies, so that it is written in long runs.

use std::cmp::Reverse;
use std::ops::Range;

use super::engine::{GemmElement, PackedGemm, Workspace};
use super::few;
use super::permute::{Pair, Permutation};
use super::product::{ClassifiedAxes, LEFT, OUT, RIGHT, Triple};
use super::product_kernel::ProductKernel;
use super::simd::{Caches, Simd};
use super::sink::Sink;
use super::tasks;
use tensorwrapper_core::backend::fuse::{self, Axis, Odometer, points};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;

/// Elements of the runs in which blocks are written, about: memory is fast from some lines on.
const LONG: usize = 512;
/// Terms at most: longer sums take so long that storing them hardly shows.
const MOST_TERMS: usize = 512;
/// Rows or columns of a block, at most: as many as the engine packs at once.
const MOST: usize = 480;
/// How many times as long the direct way is to be expected to take: it asks memory for lines ahead, which the model does not know.
const GAIN: f64 = 1.25;
/// Cycles to copy eight bytes from the block to a result in a cache, and to one in memory.
const COPY: [f64; 2] = [2.5, 3.4];

/// A product, prepared.
#[derive(Debug)]
pub(super) struct ResultBlocks<T: GemmElement> {
    /// Axes around blocks; that of number `cut`, if any, counts pieces of an axis.
    outer: Vec<Triple>,
    cut: Option<usize>,
    start: [isize; 3],
    /// The blocks, and those at the end of the axis that was cut.
    whole: Block<T>,
    last: Option<Block<T>>,
}

#[derive(Debug)]
struct Block<T: GemmElement> {
    product: PackedGemm<T>,
    copy: Permutation,
    len: usize,
    operations: usize,
    /// Roughly how many cycles it takes.
    cost: f64,
}

/// An axis that was cut: what it is, where it stands inside of a block, how long its last piece is, and where its pieces stand outside.
struct Cut {
    kind: usize,
    at: usize,
    last: usize,
    outer: usize,
}

/// The axes of a block, by what they are: of the batch, of rows, of columns.
type Inside = [Vec<Triple>; 3];

impl<T: GemmElement> ResultBlocks<T> {
    /// Prepares a product, if that is expected to take fewer cycles than `direct`.
    pub(super) fn new(sorted: &ClassifiedAxes<T>, simd: Simd, direct: f64) -> Option<ResultBlocks<T>> {
        if points(&sorted.inner) > MOST_TERMS {
            return None;
        }
        ResultBlocks::of(sorted, simd, (LONG, Caches::here().second / 4 / size_of::<T>()), direct)
    }

    /// Blocks of a few elements, for tests.
    #[cfg_attr(not(test), allow(dead_code, reason = "forced in tests alone"))]
    pub(super) fn forced(sorted: &ClassifiedAxes<T>, simd: Simd) -> Option<ResultBlocks<T>> {
        ResultBlocks::of(sorted, simd, (8, 64), f64::INFINITY)
    }

    /// Blocks of at most so many elements with runs of so many.
    fn of(sorted: &ClassifiedAxes<T>, simd: Simd, sizes: (usize, usize), direct: f64) -> Option<ResultBlocks<T>> {
        let (inside, outer, cut) = choose(sorted, sizes)?;
        let axes = [&sorted.batch, &sorted.rows, &sorted.columns];
        let bytes = axes.iter().fold(size_of::<T>(), |bytes, axes| bytes.saturating_mul(points(axes)));
        let whole = Block::new(sorted, &inside, simd, bytes);
        let last = cut.as_ref().and_then(|cut| {
            let mut shorter = inside.clone();
            let extent = std::mem::replace(&mut shorter[cut.kind][cut.at].extent, cut.last);
            (extent != cut.last).then(|| Block::new(sorted, &shorter, simd, bytes))
        });
        let blocks = ResultBlocks { outer, cut: cut.map(|cut| cut.outer), start: sorted.start, whole, last };
        (GAIN * blocks.cost() < direct).then_some(blocks)
    }

    /// Roughly how many cycles it takes.
    pub(super) fn cost(&self) -> f64 {
        self.whole.cost * points(&self.outer) as f64
    }

    /// Computes the blocks of these numbers.
    fn blocks(&self, threads: usize, range: Range<usize>, data: [&[T]; 2], out: Sink<'_, T>) -> Result<(), Error> {
        Workspace::lend(|workspace| {
            let stage = workspace.result.numbers::<T>(self.whole.len)?;
            let mut walk = Odometer::new(&self.outer, &self.start, range.start);
            for _ in range {
                let is_end = self.cut.is_some_and(|n| walk.index(n) + 1 == self.outer[n].extent);
                let block = self.last.as_ref().filter(|_| is_end).unwrap_or(&self.whole);
                let [left, right, to] = walk.position;
                walk.step();
                block.product.run_from(threads, [left, right, 0], data, Sink::new(stage))?;
                block.copy.run(threads, [0, to], stage, out, false);
            }
            Ok(())
        })
    }
}

impl<T: GemmElement> ProductKernel<T> for ResultBlocks<T> {
    fn method(&self) -> &'static str {
        "packed in blocks, results staged"
    }

    unsafe fn run(&self, threads: usize, data: [&[T]; 2], out: Sink<'_, T>) -> Result<(), Error> {
        let blocks = points(&self.outer);
        if !tasks::shares_items(threads, (blocks, 2), self.whole.operations, tasks::worth_product) {
            return self.blocks(threads, 0..blocks, data, out);
        }
        tasks::failing(|failed| {
            tasks::split_product(threads, blocks, blocks.saturating_mul(self.whole.operations), &|range| {
                failed(self.blocks(1, range, data, out));
            });
        })
    }
}

impl<T: GemmElement> Block<T> {
    /// The product of a block, into memory of its own, and the copy from there to a result of so many bytes: with rows or
    /// columns side by side, so that whole tiles are stored.
    fn new(sorted: &ClassifiedAxes<T>, inside: &Inside, simd: Simd, bytes: usize) -> Block<T> {
        let axes: Vec<(usize, Triple)> =
            inside.iter().enumerate().flat_map(|(kind, axes)| axes.iter().map(move |axis| (kind, *axis))).collect();
        let orders = [[0, 1, 2], [0, 2, 1]].map(|order| {
            let mut axes = axes.clone();
            few::sort_by_key(&mut axes, |(kind, axis)| (order[*kind], Reverse(axis.strides[OUT].unsigned_abs())));
            Block::in_order(sorted, axes, simd, bytes)
        });
        orders.into_iter().min_by(|a, b| a.cost.total_cmp(&b.cost)).expect("there are two")
    }

    /// The same, with axes in that order in its memory, the fastest last.
    fn in_order(sorted: &ClassifiedAxes<T>, axes: Vec<(usize, Triple)>, simd: Simd, bytes: usize) -> Block<T> {
        let mut inside: Inside = [vec![], vec![], vec![]];
        let mut pairs: Vec<Pair> = Vec::new();
        let mut stride = 1;
        for (kind, axis) in axes.into_iter().rev() {
            pairs.push(Axis { extent: axis.extent, strides: [stride, axis.strides[OUT]] });
            inside[kind].insert(0, Axis { strides: [axis.strides[LEFT], axis.strides[RIGHT], stride], ..axis });
            stride *= axis.extent as isize;
        }
        let [mut batch, mut rows, mut columns] = inside;
        [&mut batch, &mut rows, &mut columns].into_iter().for_each(fuse::fuse);
        let len = stride as usize;
        let product = ClassifiedAxes { batch, rows, columns, start: [0; 3], ..sorted.clone() };
        let product = PackedGemm::new(product, simd);
        let is_far = bytes > Caches::here().second;
        let copy = COPY[usize::from(is_far)];
        let cost = product.cost() + (len * size_of::<T>()) as f64 / 8.0 * copy;
        let operations = len * points(&sorted.inner);
        Block { product, copy: Permutation::part(pairs, size_of::<T>(), bytes), len, operations, cost }
    }
}

/// The axes of a block of at most `limit` elements, written in runs of about `long`, the axes around blocks, and which axis was cut, if
/// any. Nothing where the whole result is one block.
fn choose<T: Element>(sorted: &ClassifiedAxes<T>, (long, limit): (usize, usize)) -> Option<(Inside, Vec<Triple>, Option<Cut>)> {
    let kinds = [&sorted.batch, &sorted.rows, &sorted.columns];
    let mut left: Vec<(usize, Triple)> =
        kinds.iter().enumerate().flat_map(|(kind, axes)| axes.iter().map(move |axis| (kind, *axis))).collect();
    // Innermost first.
    few::sort_by_key(&mut left, |(_, axis)| axis.strides[OUT].unsigned_abs());
    let mut inside: Inside = [vec![], vec![], vec![]];
    let mut size = [1; 3];
    let mut cut = None;
    let mut outer: Vec<Triple> = Vec::new();
    while !left.is_empty() {
        // First what lies together, then what there is less of.
        let elements: usize = size.iter().product();
        let smaller = if size[1] <= size[2] { [1, 2] } else { [2, 1] };
        let of = |kind: usize| left.iter().position(|(other, _)| *other == kind);
        let next = if elements < long { Some(0) } else { smaller.into_iter().find_map(of) };
        let (kind, axis) = left.remove(next.unwrap_or(0));
        let most = if kind == 0 { usize::MAX } else { MOST / size[kind] };
        let room = (limit / elements).min(most);
        if axis.extent <= room {
            size[kind] *= axis.extent;
            inside[kind].insert(0, axis);
            continue;
        }
        let piece = axis.extent.div_ceil(axis.extent.div_ceil(room.max(1)));
        if cut.is_some() || piece == 1 {
            outer.push(axis);
            continue;
        }
        let (pieces, strides) = (axis.extent.div_ceil(piece), axis.strides.map(|stride| stride * piece as isize));
        size[kind] *= piece;
        cut = Some((kind, inside[kind].len(), axis.extent - (pieces - 1) * piece, Axis { extent: pieces, strides }));
        inside[kind].insert(0, Axis { extent: piece, strides: axis.strides });
    }
    outer.extend(cut.map(|(.., pieces)| pieces));
    if outer.is_empty() {
        return None;
    }
    // The factor with more elements in a block is read again for the blocks that follow, while it is still in a cache.
    let stays = if size[1] >= size[2] { LEFT } else { RIGHT };
    few::sort_by_key(&mut outer, |axis| (axis.strides[stays] == 0, Reverse(axis.strides[OUT].unsigned_abs())));
    let cut = cut.map(|(kind, at, last, pieces)| {
        let whole = outer.iter().position(|axis| *axis == pieces).expect("it is there");
        Cut { kind, at: inside[kind].len() - 1 - at, last, outer: whole }
    });
    Some((inside, outer, cut))
}
