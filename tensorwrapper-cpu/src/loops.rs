//! The order of the element-wise engine's loops, chosen by strides and extents.

use std::ops::Range;

use super::access::{AccessPattern, BlockAccess, PerOperand};
use tensorwrapper_core::backend::fuse::{self, Axis, Odometer, points};
use tensorwrapper_core::backend::{LoopNest, Operand};
use tensorwrapper_core::layout::Strided;

/// Elements that the innermost axes have to make up before chunks are cut from them alone.
const ENOUGH: usize = 256;

/// Elements and bytes of a chunk that is folded as it lies in memory.
const FOLDED: usize = 2048;
const FOLDED_BYTES: usize = 16 << 10;

/// Elements of a cache line at the most.
const LINE: usize = 16;

/// Stride from which on a chunk uses so little of each cache line that most are fetched again and again.
const WIDE: usize = 16;

/// Axes over the inputs and the output.
pub(super) type Axes = Vec<Axis<PerOperand>>;

/// Kept and reduced axes over the inputs and the output, none of them backwards where that can be, and the first positions.
pub(super) fn axes(nest: &LoopNest, inputs: &[Operand<'_>], output: &Strided) -> (Axes, Axes, PerOperand) {
    let offsets = inputs.iter().map(|input| input.layout()).chain([output]).map(|layout| layout.offset() as isize);
    let mut start: PerOperand = offsets.collect();
    let axis = |n: usize| {
        let out = output.strides().get(n).copied().unwrap_or(0);
        let strides = inputs.iter().map(|input| input.layout().strides()[n]).chain([out]).collect();
        Axis { extent: nest.extents()[n], strides }
    };
    let mut kept: Axes = (0..nest.kept()).map(axis).collect();
    let mut reduced: Axes = (nest.kept()..nest.rank()).map(axis).collect();
    fuse::forward(&mut kept, &mut start, inputs.len());
    (0..inputs.len()).rev().for_each(|input| fuse::forward(&mut reduced, &mut start, input));
    (kept, reduced, start)
}

/// What chunks may be, and what they cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunks {
    /// Elements of a chunk at most.
    pub(super) most: usize,
    /// Elements whose computation takes as long as it takes to begin a chunk.
    pub(super) each: f64,
}

impl Chunks {
    /// Of a program that is interpreted.
    pub(super) fn of_program(most: usize) -> Chunks {
        Chunks { most, each: 40.0 }
    }

    /// Of a reduction of what lies in memory as it is: half of a small first cache, and not so many elements that a chunk's own fold
    /// is inexact.
    fn of_memory<T>() -> Chunks {
        Chunks { most: (FOLDED_BYTES / size_of::<T>()).min(FOLDED), each: 10.0 }
    }
}

/// Loops over some axes, the innermost of which are cut into chunks.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    pub(super) outer: Axes,
    pub(super) inner: Axes,
    /// Elements of a chunk; the last one of a row may have fewer.
    pub(super) width: usize,
    /// Elements of a chunk at most.
    most: usize,
    /// Chunks that make up all points of the inner axes.
    pieces: usize,
}

impl Grid {
    /// Chunks of about `most` elements at most.
    pub(super) fn new(mut outer: Axes, most: usize) -> Grid {
        let mut inner = Axes::new();
        while points(&inner) < ENOUGH {
            let Some(axis) = outer.pop() else { break };
            inner.insert(0, axis);
        }
        let points = points(&inner);
        // A chunk that is half as long again is better than two: all of it can be read as a block.
        let pieces = if points <= most + most / 2 { 1 } else { points.div_ceil(most) };
        // Whole cache lines, whatever the size of elements.
        let width = if pieces > 1 { points.div_ceil(pieces).next_multiple_of(LINE) } else { points };
        Grid { outer, inner, width, most, pieces: points.div_ceil(width) }
    }

    /// Loops over blocks, each of which is one chunk.
    pub(super) fn of_blocks(outer: Axes, block: Axes) -> Grid {
        let width = points(&block);
        Grid { outer, inner: block, width, most: width, pieces: 1 }
    }

    /// Loops over parts of the same axes.
    pub(super) fn of_part(&self, outer: Axes) -> Grid {
        Grid::new(outer, self.most)
    }

    /// Number of chunks.
    pub(super) fn chunks(&self) -> usize {
        points(&self.outer) * self.pieces
    }

    /// How an operand lies in a chunk.
    pub(super) fn access(&self, operand: usize) -> AccessPattern {
        match (AccessPattern::of(&self.inner, operand), &self.inner[..]) {
            (AccessPattern::Strided, [across, along]) if self.pieces == 1 => {
                AccessPattern::Block(BlockAccess::of([across, along], operand))
            }
            (access, _) => access,
        }
    }

    /// Number of points.
    pub(super) fn points(&self) -> usize {
        points(&self.outer) * points(&self.inner)
    }

    /// All axes, from the outermost to the innermost.
    pub(super) fn axes(&self) -> Axes {
        [&self.outer[..], &self.inner].concat()
    }

    /// Stands on the chunk of that number; `start` is where point 0 lies.
    pub(super) fn walk<'a>(&'a self, start: &[isize], chunk: usize) -> Walk<'a> {
        let outer = Odometer::new(&self.outer, &PerOperand::from_slice(start), chunk / self.pieces);
        Walk { grid: self, outer, piece: chunk % self.pieces }
    }
}

/// Walks over the chunks of a grid.
pub(super) struct Walk<'a> {
    grid: &'a Grid,
    outer: Odometer<'a, PerOperand>,
    piece: usize,
}

impl Walk<'_> {
    /// Where point 0 of the inner axes lies in each operand.
    pub(super) fn start(&self) -> &[isize] {
        &self.outer.position
    }

    /// Number of the chunk's first point among the inner axes.
    pub(super) fn first(&self) -> usize {
        self.piece * self.grid.width
    }

    /// Number of elements in the chunk.
    pub(super) fn len(&self) -> usize {
        self.grid.width.min(points(&self.grid.inner) - self.first())
    }

    /// Moves on to the next chunk.
    pub(super) fn step(&mut self) {
        self.piece += 1;
        if self.piece == self.grid.pieces {
            self.piece = 0;
            self.outer.step();
        }
    }
}

/// The order of all loops.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) kept: Grid,
    pub(super) reduced: Grid,
    /// Whether chunks run along kept axes, or along reduced ones.
    pub(super) along_kept: bool,
}

impl Plan {
    /// Tries every operand's own order of the axes, and chunks along either kind.
    pub(super) fn choose(kept: Axes, reduced: Axes, output: usize, chunks: Chunks) -> Plan {
        let best = |axes: Axes| {
            let orders = (0..=output).rev().map(|first| {
                let mut axes = axes.clone();
                let priority: Vec<usize> = [first].into_iter().chain((0..=output).rev()).collect();
                fuse::normalise(&mut axes, &priority);
                let grid = Grid::new(axes, chunks.most);
                (cost(&grid, output, chunks.each), grid)
            });
            // The first of equals: the output's order.
            orders.reduce(|best, next| if next.0 < best.0 { next } else { best }).expect("there is an output")
        };
        let ((kept_cost, kept), (reduced_cost, reduced)) = (best(kept), best(reduced));
        let along_kept = reduced.points() == 1 || (kept.points() > 1 && kept_cost <= reduced_cost);
        Plan { kept, reduced, along_kept }
    }

    /// The order of a reduction of that input, if chunks of it are folded where they lie. Where they have to be brought together first,
    /// registers of so long chunks would leave the first cache, and beginning one takes as long as in any program.
    pub(super) fn of_memory<T>(kept: &Axes, reduced: &Axes, output: usize, input: usize) -> Option<Plan> {
        let plan = Plan::choose(kept.clone(), reduced.clone(), output, Chunks::of_memory::<T>());
        (plan.chunked().access(input) == AccessPattern::Contiguous).then_some(plan)
    }

    /// The grid whose inner axes make up the chunks.
    pub(super) fn chunked(&self) -> &Grid {
        if self.along_kept { &self.kept } else { &self.reduced }
    }

    /// Axes from the outermost loop to the innermost.
    pub(super) fn axes(&mut self) -> impl DoubleEndedIterator<Item = &mut Axis<PerOperand>> {
        let (first, last) =
            if self.along_kept { (&mut self.reduced, &mut self.kept) } else { (&mut self.kept, &mut self.reduced) };
        first.outer.iter_mut().chain(&mut first.inner).chain(&mut last.outer).chain(&mut last.inner)
    }

    /// Whether chunks cross an input in wide strides although it has a narrow one elsewhere.
    pub(super) fn crosses(&mut self, input: usize) -> bool {
        let Some(inner) = self.chunked().inner.last() else { return false };
        let stride = inner.strides[input].unsigned_abs();
        stride >= WIDE && self.axes().any(|axis| (1..stride).contains(&axis.strides[input].unsigned_abs()))
    }
}

/// Rough time for one element when chunks are cut from this grid.
fn cost(grid: &Grid, output: usize, each: f64) -> f64 {
    let access = |operand: usize| match (AccessPattern::of(&grid.inner, operand), grid.inner.last()) {
        (AccessPattern::Constant, _) | (_, None) => 0.05,
        (AccessPattern::Contiguous, _) => 0.1,
        (AccessPattern::Strided | AccessPattern::Block(_), Some(inner)) => match inner.strides[operand].unsigned_abs() {
            0 | 1 => 0.3 + 2.0 / inner.extent as f64,
            stride => 1.0 + 2.0 / inner.extent as f64 + (stride as f64 / 64.0).min(3.0),
        },
    };
    (0..=output).map(access).sum::<f64>() + each / grid.width as f64
}

/// Cuts `len` points from `first` on into runs along the innermost axis:
/// calls `run` with the position of the run's first element, its stride and its part of `0..len`.
pub(super) fn runs(
    axes: &[Axis<PerOperand>],
    operand: usize,
    start: isize,
    first: usize,
    len: usize,
    mut run: impl FnMut(isize, isize, Range<usize>),
) {
    let Some((inner, outer)) = axes.split_last() else { return run(start, 0, 0..len) };
    let stride = inner.strides[operand];
    let (mut row, mut done, mut index) = (first / inner.extent, 0, first % inner.extent);
    let mut next = |position: isize| {
        let length = (inner.extent - index).min(len - done);
        run(position + index as isize * stride, stride, done..done + length);
        (done, index) = (done + length, 0);
        done < len
    };
    if let [axis] = outer {
        while next(start + row as isize * axis.strides[operand]) {
            row += 1;
        }
        return;
    }
    let axis = |axis: &Axis<PerOperand>| Axis { extent: axis.extent, strides: [axis.strides[operand]] };
    let outer: Vec<Axis<[isize; 1]>> = outer.iter().map(axis).collect();
    let mut walk = Odometer::new(&outer, &[start], row);
    while next(walk.position[0]) {
        walk.step();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smallvec::smallvec;

    #[test]
    fn only_what_lies_in_chunks_is_folded_in_memory() {
        let width = |step: isize| {
            let kept = vec![Axis { extent: 3, strides: smallvec![10_000 * step, 1] }];
            let reduced = vec![Axis { extent: 10_000, strides: smallvec![step, 0] }];
            Plan::of_memory::<f64>(&kept, &reduced, 1, 0).map(|plan| plan.chunked().width)
        };
        assert_eq!(width(1), Some(2000), "five chunks of at most 2048");
        assert_eq!([width(2), width(0), width(-1)], [None; 3], "strided, constant, backwards");
    }
}
