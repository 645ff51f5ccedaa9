//! Element-wise programs with inputs that lie across the loops: tile by tile, so that what is packed of such an input stays
//! in a near cache until it is used. Long reductions are tiled too: each tile leaves a value for each result, and these are
//! folded in the end.

use std::ops::Range;

use super::access::PerOperand;
use super::loops::{Axes, Plan};
use super::multiversion::prefetch;
use super::permute::{Pair, Permutation};
use super::sink::Sink;
use super::{packed, tasks};
use tensorwrapper_core::backend::function::Scalar;
use tensorwrapper_core::backend::fuse::{self, Axis, Odometer, points};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::memory::zeros;

/// Elements of a tile: what is packed of a few inputs fits the second cache.
const TILE: usize = 1 << 15;
/// Elements of a tile of a reduction that is more than a tile: nothing of it is written, so a tile need not be long.
const FOLDED: usize = 1 << 13;
/// Elements of a tile along the loops' innermost axis.
const ALONG: usize = 512;
/// Elements of a tile along the axis on which an input that lies across has its neighbours: some lines.
const ACROSS: usize = 64;

/// A plan in tiles of its axes.
pub(super) struct TiledSchedule {
    plan: Plan,
    /// How far each axis reaches in a tile: the kept ones, then the reduced ones.
    sizes: Vec<usize>,
    /// Tiles along these axes.
    counts: Axes,
    /// Tiles along the reduced axes.
    folds: usize,
    /// Which inputs are packed.
    crossed: Vec<bool>,
}

/// One tile: its plan, where its operands start, and what is asked for while it is computed.
pub(super) struct Tile<'a, T> {
    pub(super) plan: Plan,
    pub(super) start: Vec<isize>,
    pub(super) coming: Vec<UpcomingTile<'a, T>>,
}

/// A copy into a tile's order, and the axes that it was prepared for.
struct Copied {
    axes: Vec<Pair>,
    permutation: Permutation,
}

/// What the next tile packs of an input: pieces of neighbours in memory.
#[derive(Clone)]
pub(super) struct UpcomingTile<'a, T> {
    data: &'a [T],
    start: isize,
    /// Where pieces begin, and how long they are.
    axes: Vec<Axis<[isize; 1]>>,
    len: usize,
}

impl<'a, T> UpcomingTile<'a, T> {
    /// What a tile that starts there packs of an input with these axes; nothing where it has no neighbours in memory.
    fn new(data: &'a [T], start: isize, mut axes: Vec<Axis<[isize; 1]>>) -> Option<UpcomingTile<'a, T>> {
        axes.retain(|axis| axis.strides[0] != 0);
        fuse::normalise(&mut axes, &[0]);
        let narrow = axes.pop_if(|axis| axis.strides[0] == 1)?;
        Some(UpcomingTile { data, start, axes, len: narrow.extent })
    }

    /// Asks for one of so many parts of it.
    pub(super) fn ask(&self, part: usize, parts: usize) {
        let pieces = points(&self.axes);
        let range = pieces * part / parts..pieces * (part + 1) / parts;
        let mut walk = Odometer::new(&self.axes, &[self.start], range.start);
        for _ in range {
            let start = (walk.position[0].max(0) as usize).min(self.data.len());
            prefetch(&self.data[start..self.data.len().min(start + self.len)]);
            walk.step();
        }
    }
}

impl TiledSchedule {
    /// Cuts a plan into tiles because of these inputs.
    pub(super) fn new(mut plan: Plan, crossed: Vec<bool>) -> TiledSchedule {
        let narrowest: Vec<isize> = crossed
            .iter()
            .enumerate()
            .filter(|(_, crossed)| **crossed)
            .filter_map(|(n, _)| plan.axes().map(|axis| axis.strides[n].abs()).filter(|stride| *stride != 0).min())
            .collect();
        let inputs: Vec<usize> = (0..crossed.len()).filter(|&n| crossed[n]).collect();
        let kept = plan.kept.axes().len();
        let axes = all_axes(&plan);
        // Tiles of reduced axes leave a row of all kept points each: only where these are few.
        let is_whole = plan.along_kept || plan.reduced.points() <= TILE || plan.kept.points() > ALONG;
        let mut room = if is_whole { (TILE / plan.reduced.points().min(TILE)).max(1) } else { FOLDED };
        let mut sizes = vec![1; axes.len()];
        if is_whole {
            (kept..axes.len()).for_each(|n| sizes[n] = axes[n].extent);
        }
        let mut give = |axis: usize, most: usize, sizes: &mut [usize]| {
            let size = axes[axis].extent.min(most).min(room).max(sizes[axis]);
            room = room * sizes[axis] / size;
            sizes[axis] = size;
        };
        let is_across =
            |axis: &Axis<PerOperand>| inputs.iter().zip(&narrowest).any(|(&n, &narrow)| axis.strides[n].abs() == narrow);
        let inner = if plan.along_kept || is_whole { kept } else { axes.len() };
        inner.checked_sub(1).into_iter().for_each(|last| give(last, ALONG, &mut sizes));
        (0..axes.len()).filter(|&n| is_across(&axes[n])).for_each(|n| give(n, ACROSS, &mut sizes));
        (0..axes.len()).rev().for_each(|n| give(n, usize::MAX, &mut sizes));
        let tiles = |(axis, &size): (&Axis<PerOperand>, &usize)| Axis {
            extent: axis.extent.div_ceil(size),
            strides: axis.strides.iter().map(|stride| stride.wrapping_mul(size as isize)).collect(),
        };
        let counts: Axes = axes.iter().zip(&sizes).map(tiles).collect();
        let folds = points(&counts[kept..]);
        TiledSchedule { plan, sizes, counts, folds, crossed }
    }

    /// How many values tiles leave for each kept point: 1 if the reduced axes are whole in each.
    pub(super) fn folds(&self) -> usize {
        self.folds
    }

    /// Where tiles leave several values for each kept point: one row of all kept points, in the order of the loops, for each tile of the
    /// reduced axes. The kept axes as they were, for what follows.
    pub(super) fn in_rows(&mut self, output: usize) -> Axes {
        let kept = self.plan.kept.axes();
        let mut rows = kept.clone();
        let mut stride = 1;
        let axes = rows.iter_mut().zip(&mut self.counts).zip(&self.sizes).rev();
        for ((axis, tiles), &size) in axes {
            axis.strides[output] = stride;
            tiles.strides[output] = stride * size as isize;
            stride *= axis.extent as isize;
        }
        for tiles in self.counts[kept.len()..].iter_mut().rev() {
            tiles.strides[output] = stride;
            stride *= tiles.extent as isize;
        }
        self.plan.kept = self.plan.kept.of_part(rows);
        kept
    }

    /// Runs a task for each tile, with what is packed of each input that lies across; threads share the tiles, or where there
    /// are few, each tile.
    ///
    /// # Errors
    /// Memory for packed elements.
    pub(super) fn run<T: Scalar>(
        &self,
        threads: usize,
        start: &[isize],
        inputs: &[Option<&[T]>],
        task: impl Fn(usize, &Tile<'_, T>, &[Option<Vec<T>>]) + Sync,
    ) -> Result<(), Error> {
        let operations = self.plan.kept.points().saturating_mul(self.plan.reduced.points());
        let count = points(&self.counts);
        let threads = tasks::worth(threads, operations);
        let (outside, inside) = if count >= 2 * threads { (threads, 1) } else { (1, threads) };
        tasks::failing(|failed| {
            tasks::split(outside, count, operations, &|range| {
                failed(self.run_some(inside, range, start, inputs, &task));
            });
        })
    }

    /// The tiles of a range.
    fn run_some<T: Scalar>(
        &self,
        threads: usize,
        range: Range<usize>,
        start: &[isize],
        inputs: &[Option<&[T]>],
        task: &impl Fn(usize, &Tile<'_, T>, &[Option<Vec<T>>]),
    ) -> Result<(), Error> {
        let mut packed: Vec<Option<Vec<T>>> = self.crossed.iter().map(|_| None).collect();
        let mut copies: Vec<Option<Copied>> = self.crossed.iter().map(|_| None).collect();
        let mut walk = Odometer::new(&self.counts, &PerOperand::from_slice(start), range.start);
        for _ in range {
            let index: Vec<usize> = (0..self.counts.len()).map(|axis| walk.index(axis)).collect();
            let (plan, start) = self.pack(threads, &index, &walk.position, inputs, (&mut packed, &mut copies))?;
            walk.step();
            let coming = self.coming(&walk.position, inputs);
            task(threads, &Tile { plan, start, coming }, &packed);
        }
        Ok(())
    }

    /// Copies what a tile needs of the inputs that lie across into the order of its loops.
    fn pack<T: Scalar>(
        &self,
        threads: usize,
        index: &[usize],
        start: &[isize],
        inputs: &[Option<&[T]>],
        (packed, copies): (&mut [Option<Vec<T>>], &mut [Option<Copied>]),
    ) -> Result<(Plan, Vec<isize>), Error> {
        let mut axes = all_axes(&self.plan);
        for ((axis, &size), &index) in axes.iter_mut().zip(&self.sizes).zip(index) {
            axis.extent = size.min(axis.extent - index * size);
        }
        let reduced = axes.split_off(self.plan.kept.axes().len());
        let [kept, reduced] = [(&self.plan.kept, axes), (&self.plan.reduced, reduced)].map(|(grid, axes)| grid.of_part(axes));
        let mut plan = Plan { kept, reduced, ..self.plan };
        let mut start = start.to_vec();
        for (n, data) in inputs.iter().enumerate() {
            let Some(data) = data.filter(|_| self.crossed[n]) else { continue };
            let (axes, len) = packed::side_by_side(plan.axes(), n);
            let memory = match &mut packed[n] {
                Some(memory) if memory.len() >= len => memory,
                slot => slot.insert(zeros::<T>(len)?),
            };
            // Most tiles are of one shape.
            let copy = match &mut copies[n] {
                Some(copy) if copy.axes == axes => copy,
                slot => slot.insert(Copied { permutation: Permutation::new(axes.clone(), size_of::<T>()), axes }),
            };
            copy.permutation.run(threads, [start[n], 0], data, Sink::new(memory), false);
            start[n] = 0;
        }
        Ok((plan, start))
    }

    /// What a whole tile that starts there packs.
    fn coming<'a, T>(&self, start: &[isize], inputs: &[Option<&'a [T]>]) -> Vec<UpcomingTile<'a, T>> {
        let axes = all_axes(&self.plan);
        let crossed = inputs.iter().enumerate().filter(|&(n, _)| self.crossed[n]);
        let of_input = |(n, data): (usize, &Option<&'a [T]>)| {
            let own = |(axis, &size): (&Axis<PerOperand>, &usize)| Axis { extent: size, strides: [axis.strides[n]] };
            UpcomingTile::new((*data)?, start[n], axes.iter().zip(&self.sizes).map(own).collect())
        };
        crossed.filter_map(of_input).collect()
    }
}

/// The kept axes of a plan, then the reduced ones.
fn all_axes(plan: &Plan) -> Axes {
    [plan.kept.axes(), plan.reduced.axes()].concat()
}
