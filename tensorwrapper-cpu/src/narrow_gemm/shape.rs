//! Over which rows a block reaches, and which of its factors are staged.
//!
//! Memory moves lines. A block reaches over so many rows that what it reads and what it writes are runs of a few lines at least: along
//! one axis, where its elements are neighbours in the large factor and in the result, or over several.

use crate::few;
use crate::large_first::{LARGE, Loop};
use crate::lines::LINE;
use crate::pieces::Cuts;
use crate::product::{OUT, even};
use crate::simd::Caches;
use tensorwrapper_core::backend::fuse::points;

/// Elements of a row of a block along one axis that is staged: all rows of it stay in the first cache, or near it.
const BLOCK: usize = 512;
/// Elements of rows that are neighbours in memory, at least: where nothing is staged, and where something is.
const LONG: usize = 16;
const STAGED: usize = 64;
/// Elements of rows for which nothing is staged, at most: threads share longer ones.
const PIECE: usize = 1 << 16;
/// Bytes of the runs of blocks over several axes, the first of them that there is room for.
const RUNS: [usize; 4] = [8 * LINE, 4 * LINE, 2 * LINE, LINE];
/// Bytes of the staged rows of such a block, which stay in the second cache, at most.
const ROOM: usize = 1 << 16;
/// Numbers of the small factor up to which rows of a single axis are staged.
const FEW_NUMBERS: usize = 16;
/// Cycles to copy eight bytes to or from a staged row, and what is added for a factor and a result that no near cache holds. They were
/// measured on a Zen 4; what counts is how they compare with those of the engine's model.
const COPY: f64 = 1.0;
const FAR: f64 = 0.5;
/// Elements by which a staged row is longer than its block, so that rows do not fall into the same sets of a cache.
const APART: usize = 16;

/// Which rows a block has.
#[derive(Debug)]
pub(super) struct Shape {
    /// The axes of a block, in the order of its memory, the last of them the fastest, and those around it.
    pub(super) cuts: Cuts,
    /// Whether the large factor and the result are staged.
    pub(super) stage: [bool; 2],
}

impl Shape {
    /// Along the axis of rows whose elements are neighbours in both the large factor and the result, or in one of them, where the other's
    /// neighbours are no rows.
    pub(super) fn along_one(rows: &[Loop], stage_large: bool) -> Option<Shape> {
        let unit = |operand: usize| rows.iter().position(|axis| axis.strides[operand] == 1);
        let (n, stage, least) = match (unit(LARGE), unit(OUT)) {
            (Some(n), Some(other)) if n == other => (n, [stage_large, false], LONG),
            (Some(n), None) => (n, [stage_large, true], STAGED),
            (None, Some(n)) => (n, [true, false], STAGED),
            _ => return None,
        };
        let extent = rows[n].extent;
        let most = if stage == [false, false] { PIECE } else { BLOCK };
        (extent >= least).then(|| Shape { cuts: Cuts::new(rows, &[(n, extent.min(most))]), stage })
    }

    /// Whether there is no room for a block with the longest of such runs. Rows of a single axis lie as those of a matrix, which the engine
    /// reads and writes well.
    pub(super) fn is_scattered(rows: &[Loop], own: [&[Loop]; 2], size: usize) -> bool {
        let [k, n] = own.map(points);
        rows.len() > 1 && Shape::with_runs(rows, own, RUNS[0] / size, ROOM / size / (k + n)).is_none()
    }

    /// How many points of each axis a block takes so that both of its sides have runs of so many elements, if there is room for it.
    fn with_runs(rows: &[Loop], own: [&[Loop]; 2], run: usize, room: usize) -> Option<Vec<usize>> {
        let mut taken = vec![1; rows.len()];
        [(LARGE, own[0]), (OUT, own[1])].into_iter().for_each(|(side, own)| reach(rows, own, side, run, &mut taken));
        (taken.iter().product::<usize>() <= room).then_some(taken)
    }

    /// Over axes that make runs of both the large factor and the result, for elements of so many bytes and these terms and columns; nothing
    /// where there is no room for a line of each.
    pub(super) fn over_several(rows: &[Loop], own: [&[Loop]; 2], size: usize, stage_large: bool) -> Option<Shape> {
        let [k, n] = own.map(points);
        if rows.len() == 1 && k * n > FEW_NUMBERS {
            return None;
        }
        let room = ROOM / size / (k + n);
        let mut taken = RUNS.into_iter().find_map(|bytes| Shape::with_runs(rows, own, bytes / size, room))?;
        let least = taken.clone();
        let by = |side: usize| {
            let mut order: Vec<usize> = (0..rows.len()).collect();
            few::sort_by_key(&mut order, |&n| rows[n].strides[side].unsigned_abs());
            order
        };
        for n in [LARGE, OUT].into_iter().flat_map(by) {
            let others = taken.iter().product::<usize>() / taken[n];
            taken[n] = even(rows[n].extent, (room / others).max(taken[n]));
        }
        // The copy that is made is as the memory that is not staged.
        let shape = |side: usize, stage: [bool; 2]| {
            let block: Vec<(usize, usize)> =
                by(side).into_iter().rev().map(|n| (n, taken[n])).filter(|&(_, extent)| extent > 1).collect();
            Shape { cuts: Cuts::new(rows, &block), stage }
        };
        let is_contiguous = |shape: &Shape, side: usize| shape.run([&[], &[]], side) == points(&shape.cuts.block);
        let read = shape(LARGE, [stage_large, true]);
        if [LARGE, OUT].into_iter().any(|side| read.run(own, side) * size < LINE) {
            return None;
        }
        if is_contiguous(&read, LARGE) {
            return Some(read);
        }
        let written = shape(OUT, [true, false]);
        if is_contiguous(&written, OUT) {
            return Some(written);
        }
        let one_sided = || {
            let written = Shape::contiguous(rows, &least, room)?;
            (written.run(own, LARGE) * size >= LINE).then_some(written)
        };
        Some(one_sided().unwrap_or(Shape { stage: [true, true], ..read }))
    }

    /// Over axes whose elements follow each other in the result, which is not staged, with at least so many points of each axis; nothing
    /// where there is no such block, no room for it, or where it is short.
    fn contiguous(rows: &[Loop], least: &[usize], room: usize) -> Option<Shape> {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        few::sort_by_key(&mut order, |&n| rows[n].strides[OUT].unsigned_abs());
        let (mut run, mut taken) = (1, vec![1; rows.len()]);
        for &n in &order {
            if rows[n].strides[OUT] != run as isize || run >= room {
                break;
            }
            taken[n] = even(rows[n].extent, (room / run).max(1));
            run *= taken[n];
            if taken[n] < rows[n].extent {
                break;
            }
        }
        if run < STAGED || taken.iter().zip(least).any(|(taken, least)| taken < least) {
            return None;
        }
        let block: Vec<(usize, usize)> =
            order.into_iter().rev().map(|n| (n, taken[n])).filter(|&(_, extent)| extent > 1).collect();
        Some(Shape { cuts: Cuts::new(rows, &block), stage: [true, false] })
    }

    /// Roughly how many cycles it takes for so many rows.
    pub(super) fn cost(&self, [inner, columns]: [&[Loop]; 2], rows: usize, size: usize) -> f64 {
        let (k, n) = (points(inner), points(columns));
        let [read, written] = [k, n].map(|elements| (rows * elements * size) as f64 / 8.0);
        let is_far = rows * n * size > Caches::here().second;
        let staged = if self.stage[0] { read } else { 0.0 } + if self.stage[1] { written } else { 0.0 };
        let far = if is_far { FAR * (read + written) } else { 0.0 };
        COPY * staged + far + (rows * n * k * size) as f64 / LINE as f64
    }

    /// Elements from one staged row to the next.
    pub(super) fn row(&self) -> usize {
        points(&self.cuts.block) + APART
    }

    /// Neighbours in the large factor, or in the result, among the elements of a block with all terms, or all columns.
    fn run(&self, own: [&[Loop]; 2], side: usize) -> usize {
        let mut axes = [&self.cuts.block, own[usize::from(side == OUT)]].concat();
        few::sort_by_key(&mut axes, |axis| axis.strides[side].unsigned_abs());
        axes.iter().fold(1, |run, axis| if axis.strides[side] == run as isize { run * axis.extent } else { run })
    }
}

/// Takes so many points of each axis of rows that a block has runs of `wanted` elements, if there are such.
fn reach(rows: &[Loop], own: &[Loop], side: usize, wanted: usize, taken: &mut [usize]) {
    let of_rows = rows.iter().enumerate().map(|(n, axis)| (axis, Some(n)));
    let mut axes: Vec<(&Loop, Option<usize>)> = of_rows.chain(own.iter().map(|axis| (axis, None))).collect();
    few::sort_by_key(&mut axes, |(axis, _)| axis.strides[side].unsigned_abs());
    let mut run = 1;
    for (axis, row) in axes {
        if run >= wanted {
            break;
        }
        run *= match row {
            None => axis.extent,
            Some(n) => {
                taken[n] = even(axis.extent, wanted.div_ceil(run).max(taken[n]));
                taken[n]
            }
        };
    }
}
