//! The terms of a sum, cut into blocks that caches hold.
//!
//! Blocks are written down when they are needed. Along one axis they differ by their beginnings alone.

use std::ops::Range;
use std::sync::OnceLock;

use super::kernel::MOST_TERMS;
use super::space::Pair;
use crate::product::Triple;
use crate::tasks;
use tensorwrapper_core::backend::fuse::{self, Axis, Odometer, points};

/// Elements of a cache line, about: axes whose indices are nearer to each other share lines.
const LINE: usize = 8;

/// Terms along the first axis of a tile, if the second one is long: three lines of doubles of the operand whose unit axis it is.
const WIDE: usize = 24;
/// Terms along an edge of the largest squares in which panels are packed; those of all kernels divide it.
const SQUARE: usize = 8;

/// All terms of a sum, over both operands.
#[derive(Clone, Debug)]
pub(super) struct Inner {
    /// The last one is the fastest.
    axes: Vec<Pair>,
    form: Terms,
    /// Number of blocks.
    blocks: usize,
    /// Terms of the longest block.
    longest: usize,
    /// The only block, once it was written down, and the edge of the squares that it was written down for.
    only: OnceLock<(usize, Block)>,
}

#[derive(Clone, Debug)]
enum Terms {
    /// Blocks of the space as one sequence; `step`: how many terms further each operand's next element belongs, 0 where it is none of a
    /// term's.
    Running { points: usize, block: usize, step: [usize; 2] },
    /// Blocks over the unit axes of both operands.
    Tiled { axes: [Pair; 2], cuts: [Cut; 2] },
}

/// A block of terms that was written down.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    /// Where the first one lies in each operand.
    pub(super) start: [isize; 2],
    /// How much further they all lie.
    pub(super) at: [Vec<isize>; 2],
    /// The distance between consecutive terms in each operand, where there is but one.
    pub(super) single_step: [Option<isize>; 2],
    /// How far the farthest term lies behind the first one.
    pub(super) reach: [isize; 2],
    /// How many terms further each operand's next element belongs; 0 where it is none of a term's.
    pub(super) step: [usize; 2],
    /// Terms with which squares begin, for each operand: the next ones, `step` further each, are its next elements.
    pub(super) runs: [Vec<usize>; 2],
    /// Terms that are in no square, of operands whose neighbours are terms.
    pub(super) singles: [Vec<usize>; 2],
}

impl Block {
    /// Number of terms.
    pub(super) fn len(&self) -> usize {
        self.at[0].len()
    }

    /// Nothing is written down: the next block is another product's.
    pub(super) fn clear(&mut self) {
        self.at.iter_mut().for_each(Vec::clear);
    }

    /// What is known of all positions, once they are written down: one distance, if there is one, the farthest, and squares of that edge.
    fn survey(&mut self, square: usize) {
        for side in [0, 1] {
            let at = &self.at[side];
            let step = at.get(1).copied().unwrap_or(0);
            self.single_step[side] = at.windows(2).all(|pair| pair[1] - pair[0] == step).then_some(step);
            self.reach[side] = match self.single_step[side] {
                Some(step) => (step * (at.len() as isize - 1)).max(0),
                None => at.iter().copied().max().unwrap_or(0),
            };
        }
        self.find_runs(square);
    }

    fn find_runs(&mut self, square: usize) {
        for side in [0, 1] {
            let (at, step) = (&self.at[side], self.step[side]);
            let (runs, singles) = (&mut self.runs[side], &mut self.singles[side]);
            runs.clear();
            singles.clear();
            if step == 0 {
                continue;
            }
            if step == 1 && self.single_step[side] == Some(1) {
                let whole = at.len() / square * square;
                runs.extend((0..whole).step_by(square));
                singles.extend(whole..at.len());
                continue;
            }
            let mut first = 0;
            while first < at.len() {
                let end = first + step * square;
                let contiguous = |k: usize| (1..square).all(|n| at[k + n * step] == at[k] + n as isize);
                if end <= at.len() && (first..first + step).all(contiguous) {
                    runs.extend(first..first + step);
                    first = end;
                } else {
                    singles.push(first);
                    first += 1;
                }
            }
        }
    }
}

impl Inner {
    /// Cuts axes into blocks of about `block` terms; `sides` are the operands of rows and of
    /// columns, `order` says whose order decides.
    pub(super) fn new(axes: &[Triple], sides: [usize; 2], order: usize, block: usize) -> Inner {
        let mut axes: Vec<Pair> =
            axes.iter().map(|axis| Axis { extent: axis.extent, strides: sides.map(|side| axis.strides[side]) }).collect();
        fuse::sort(&mut axes, &[order, 1 - order]);
        let unit = |axes: &[Pair], side: usize| axes.iter().position(|axis| axis.strides[side] == 1);
        let points = points(&axes);
        let units = [unit(&axes, 0), unit(&axes, 1)];
        // Up to half more than a block is not worth a second pass over the result.
        let most = block / 2 * 3;
        if let [Some(own), Some(other)] = units
            && own != other
            && axes[own].extent * axes[other].extent >= block / 2
        {
            let tiled = [axes[own], axes[other]];
            axes = axes.iter().enumerate().filter(|(n, _)| *n != own && *n != other).map(|(_, axis)| *axis).collect();
            // The first axis is cut as if the second one were long, the second one into what is left, and where that is short, the first
            // one is cut again.
            let [own, other] = tiled.map(|axis| axis.extent);
            let first = Cut::new(own, WIDE, WIDE).longest;
            let second = Cut::new(other, block / first, most / first);
            let first = Cut::new(own, first.max(block / second.longest), first.max(most / second.longest));
            let (blocks, longest) = (points / own / other * first.pieces * second.pieces, first.longest * second.longest);
            debug_assert!(longest <= MOST_TERMS);
            let form = Terms::Tiled { axes: tiled, cuts: [first, second] };
            return Inner { axes, form, blocks, longest, only: OnceLock::new() };
        }
        near_last(&mut axes, order);
        let step = |side: usize| unit(&axes, side).map_or(0, |n| fuse::points(&axes[n + 1..]));
        let step = [step(0), step(1)];
        let blocks = if points <= most { 1 } else { points.div_ceil(block) };
        let block = points.div_ceil(blocks).next_multiple_of(8).min(points);
        debug_assert!(block <= MOST_TERMS);
        let form = Terms::Running { points, block, step };
        Inner { axes, form, blocks: points.div_ceil(block), longest: block, only: OnceLock::new() }
    }

    /// Number of blocks.
    pub(super) fn blocks(&self) -> usize {
        self.blocks
    }

    /// The distance between consecutive terms in an operand, where there is but one.
    pub(super) fn step(&self, side: usize) -> Option<isize> {
        match &self.form {
            Terms::Running { .. } => fuse::single_stride(&self.axes, side),
            Terms::Tiled { .. } => None,
        }
    }

    /// Terms of the longest block.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    fn write_running(&self, range: Range<usize>, to: &mut Block) {
        let Some((axis, outer)) = self.axes.split_last() else {
            to.at.iter_mut().for_each(|at| at.push(0));
            return;
        };
        let mut walk = Odometer::new(outer, &[0, 0], range.start / axis.extent);
        let (mut index, mut left) = (range.start % axis.extent, range.len());
        while left > 0 {
            let len = left.min(axis.extent - index);
            for ((at, start), stride) in to.at.iter_mut().zip(walk.position).zip(axis.strides) {
                at.extend((index..index + len).map(|n| start + n as isize * stride));
            }
            (index, left) = (0, left - len);
            walk.step();
        }
    }

    /// The only block, for squares of that edge, which is written down once for all runs; nothing where there are several.
    pub(super) fn only(&self, square: usize) -> Option<&Block> {
        (self.blocks == 1).then(|| {
            let (edge, block) = self.only.get_or_init(|| {
                let mut block = Block::default();
                self.write(0, square, &mut block);
                (square, block)
            });
            debug_assert_eq!(*edge, square, "a product is cut for one kernel");
            block
        })
    }

    /// Writes down a block, for squares of that edge; whether it differs from the one before in more than where it begins.
    pub(super) fn write(&self, number: usize, square: usize, to: &mut Block) -> bool {
        if let (&Terms::Running { points, block, .. }, [axis]) = (&self.form, &self.axes[..])
            && block.min(points - number * block) == to.len()
        {
            // Along one axis, blocks differ by their beginnings alone.
            to.start = axis.strides.map(|stride| (number * block) as isize * stride);
            return false;
        }
        to.clear();
        match &self.form {
            &Terms::Running { points, block, step } => {
                let first = number * block;
                self.write_running(first..points.min(first + block), to);
                to.step = step;
            }
            Terms::Tiled { axes, cuts } => {
                let count = cuts.map(|cut| cut.pieces);
                let tiles = [number % count[0], number / count[0] % count[1]];
                let outer = Odometer::new(&self.axes, &[0, 0], number / (count[0] * count[1])).position;
                let ranges = [0, 1].map(|n| cuts[n].range(tiles[n]));
                for y in ranges[1].clone() {
                    for x in ranges[0].clone() {
                        for side in [0, 1] {
                            let inside = x as isize * axes[0].strides[side] + y as isize * axes[1].strides[side];
                            to.at[side].push(outer[side] + inside);
                        }
                    }
                }
                to.step = [1, ranges[0].len()];
            }
        }
        for (start, at) in to.start.iter_mut().zip(&mut to.at) {
            *start = at[0];
            at.iter_mut().for_each(|at| *at -= *start);
        }
        to.survey(square);
        true
    }
}

/// How an axis is cut into pieces.
#[derive(Clone, Copy, Debug)]
struct Cut {
    extent: usize,
    pieces: usize,
    longest: usize,
    /// Whether all pieces but the last one are of the longest length, which makes whole squares. Otherwise lengths differ by one at most.
    is_square: bool,
}

impl Cut {
    /// One piece if the axis has at most `most` terms. Else as few as have at most `usual` terms, or up to `most` that make whole squares,
    /// unless the last piece would be less than half of the others.
    fn new(extent: usize, usual: usize, most: usize) -> Cut {
        if extent <= most {
            return Cut { extent, pieces: 1, longest: extent, is_square: false };
        }
        let pieces = extent.div_ceil(usual.max(1));
        let even = extent.div_ceil(pieces);
        let whole = even.next_multiple_of(SQUARE);
        let last = (extent - 1) % whole + 1;
        if whole <= most && 2 * last >= whole {
            return Cut { extent, pieces: extent.div_ceil(whole), longest: whole, is_square: true };
        }
        Cut { extent, pieces, longest: even, is_square: false }
    }

    /// The terms of a piece.
    fn range(self, piece: usize) -> Range<usize> {
        let [first, end] = [piece, piece + 1].map(|n| match self.is_square {
            true => self.extent.min(n * self.longest),
            false => tasks::bound(self.extent, n, self.pieces),
        });
        first..end
    }
}

/// Moves axes along which an operand's lines of the cache lie to the end, those of fewer points last: so a block has all that the lines
/// hold.
fn near_last(axes: &mut Vec<Pair>, order: usize) {
    let near = |side: usize| axes.iter().filter(move |axis| axis.strides[side].unsigned_abs() < LINE).copied();
    let mut sides = [order, 1 - order].map(|side| {
        let mut own: Vec<Pair> = near(side).collect();
        fuse::sort(&mut own, &[side, 1 - side]);
        own
    });
    if points(&sides[0]) > points(&sides[1]) && !sides[1].is_empty() {
        sides.swap(0, 1);
    }
    let [last, before] = sides;
    let before = before.into_iter().filter(|axis| !last.contains(axis));
    let near: Vec<Pair> = before.chain(last.iter().copied()).collect();
    axes.retain(|axis| !near.contains(axis));
    axes.extend(near);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The blocks' positions, in order.
    fn positions(inner: &Inner) -> Vec<[isize; 2]> {
        let mut block = Block::default();
        let mut all = Vec::new();
        for number in 0..inner.blocks() {
            inner.write(number, 4, &mut block);
            all.extend((0..block.len()).map(|n| [0, 1].map(|side| block.start[side] + block.at[side][n])));
        }
        all
    }

    fn axis(extent: usize, left: isize, right: isize) -> Triple {
        Axis { extent, strides: [left, right, 0] }
    }

    #[test]
    fn short_axes_share_the_lines_of_both_operands() {
        // Four axes of three: the left operand's neighbours are along the last, the right one's along the first.
        let axes = [axis(3, 2700, 1), axis(3, 900, 3), axis(3, 3, 900), axis(3, 1, 2700), axis(40, 27, 27)];
        let inner = Inner::new(&axes, [0, 1], 0, 256);
        let mut found = positions(&inner);
        let lines = |side: usize| {
            let mut lines: Vec<isize> = found[..256].iter().map(|at| at[side] / 8).collect();
            lines.sort_unstable();
            lines.dedup();
            lines.len()
        };
        assert!(lines(0) <= 64 && lines(1) <= 64, "{} and {} lines for 256 terms", lines(0), lines(1));
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), points(&axes), "each term once");
    }

    #[test]
    fn neighbours_along_one_axis_are_squares_and_what_is_left() {
        for points in 1..40 {
            let mut block = Block::default();
            Inner::new(&[axis(points, 1, 7)], [0, 1], 0, 256).write(0, 4, &mut block);
            let whole = points / 4 * 4;
            assert_eq!(block.runs[0], (0..whole).step_by(4).collect::<Vec<_>>());
            assert_eq!(block.singles[0], (whole..points).collect::<Vec<_>>());
            assert!(block.runs[1].is_empty() && block.singles[1].is_empty(), "no neighbours, no squares");
            assert_eq!(block.reach, [points as isize - 1, 7 * (points as isize - 1)]);
            // Backwards nothing lies behind the first term.
            let mut block = Block::default();
            Inner::new(&[axis(points, -1, 1)], [0, 1], 0, 256).write(0, 4, &mut block);
            assert_eq!(block.reach, [0, points as isize - 1]);
        }
    }

    #[test]
    fn the_only_block_is_that_which_is_written_down() {
        let inner = Inner::new(&[axis(9, 30, 1), axis(5, 1, 40)], [0, 1], 0, 256);
        let mut block = Block::default();
        inner.write(0, 4, &mut block);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert_eq!(inner.only(4).map(|only| &only.at), Some(&block.at)));
            }
        });
        assert!(Inner::new(&[axis(1000, 1, 1)], [0, 1], 0, 256).only(4).is_none(), "several blocks");
    }

    #[test]
    fn long_unit_axes_are_tiled() {
        let inner = Inner::new(&[axis(100, 1, 50), axis(50, 100, 1)], [0, 1], 1, 256);
        assert!(matches!(inner.form, Terms::Tiled { .. }) && inner.longest() <= 256);
        let mut found = positions(&inner);
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), 5000);
    }

    #[test]
    fn tiles_are_few_and_none_is_short() {
        let terms = |own: usize, other: usize| {
            let inner = Inner::new(&[axis(own, 1, other as isize), axis(other, own as isize, 1)], [0, 1], 1, 256);
            let mut block = Block::default();
            let mut write = |number: usize| {
                inner.write(number, 4, &mut block);
                block.len()
            };
            (0..inner.blocks()).map(&mut write).collect::<Vec<_>>()
        };
        assert_eq!(terms(14, 19), [266], "a little more than a block is one");
        for own in 8..140 {
            for other in 8..140 {
                let found = terms(own, other);
                assert_eq!(found.iter().sum::<usize>(), own * other);
                let (least, most) = (found.iter().min().unwrap(), found.iter().max().unwrap());
                // Half along each axis at the shortest.
                assert!(*most <= 384 && 5 * least >= *most, "{own} times {other}: {found:?}");
                assert!(found.len() <= (own * other).div_ceil(256) * 2, "{own} times {other}: {} tiles", found.len());
            }
        }
    }
}
