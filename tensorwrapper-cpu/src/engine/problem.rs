//! A product, cut up for the kernels: into parts for threads, and these into blocks that caches hold.

use std::ops::Range;

use super::kernel::{GemmElement, Kernel};
use super::pack::Packing;
use super::product::Product;
use super::space::{Block, Groups, Inner, OWN, Role, Space};
use super::store::Store;
use super::workspace::Workspace;
use crate::product::{LEFT, OUT, RIGHT};
use crate::simd::Caches;
use crate::sink::Sink;
use tensorwrapper_core::backend::fuse::points;
use tensorwrapper_core::error::Error;

/// Rows of a block at most: more bring nothing.
const MOST_ROWS: usize = 480;
/// Bytes of a block of packed columns at most.
const COLUMN_BYTES: usize = 6 << 20;
/// Columns with so few of which a core computes faster than memory can be read.
const FEW_COLUMNS: usize = 64;
/// Bytes of columns that are not worth packing, and the panels of rows that read them.
const IN_PLACE_BYTES: usize = 544 << 10;
const IN_PLACE_PANELS: usize = 16;
/// Cycles before and after the sums of a tile.
const CALL: f64 = 60.0;
/// How much longer it takes to store elements alone where the result is larger than the caches.
const FAR: f64 = 4.0;
/// Bytes between terms that are read where they are as well as if they were packed.
const NEAR: usize = 4 << 10;
/// Columns with so few of which rows are read where they are: half as many where terms are not near each other.
const IN_PLACE_COLUMNS: usize = 256;

/// A product, cut up for the kernels; which item of a batch it is makes no difference.
pub(super) struct Problem<'a, T: GemmElement> {
    kernel: &'a Kernel<T>,
    product: &'a Product<'a, T>,
    /// The factors that rows and columns belong to.
    sides: [usize; 2],
    rows: Space,
    columns: Space,
    inner: Inner,
    /// Roughly how many cycles it takes.
    cost: f64,
}

/// What one thread computes: groups of rows, groups of columns, blocks of the sum.
pub(super) struct WorkShare {
    pub(super) rows: Range<usize>,
    pub(super) columns: Range<usize>,
    pub(super) blocks: Range<usize>,
}

impl<'a, T: GemmElement> Problem<'a, T> {
    /// Cuts a product up in the way that the model expects to take the least time.
    pub(super) fn new(product: &'a Product<'a, T>, kernel: &'a Kernel<T>) -> Problem<'a, T> {
        let ways = [[LEFT, RIGHT], [RIGHT, LEFT]].map(|sides| Problem::with_sides(product, kernel, sides));
        let [straight, across] = ways;
        if straight.1 <= across.1 { straight.0 } else { across.0 }
    }

    /// The best way with these factors for rows and columns, and the cycles that it takes.
    fn with_sides(product: &'a Product<'a, T>, kernel: &'a Kernel<T>, sides: [usize; 2]) -> (Problem<'a, T>, f64) {
        let axes = |side: usize| if side == LEFT { product.rows } else { product.columns };
        let [m, n] = sides.map(|side| points(axes(side)));
        let k = points(product.inner);
        let inner = Inner::new(product.inner, sides, usize::from(m < n), kernel.kc());
        let role = Role::Rows { panel: kernel.panel };
        let [along_rows, along_columns] = sides.map(|side| product.inner.iter().any(|axis| axis.strides[side] == 1));
        let columns = Space::candidates(axes(sides[1]), sides[1], kernel.nr, Role::Columns, m > k);
        // See `rows_in_place` and `columns_in_place`.
        let rows_in_place = kernel.parts() == 1 && product.inner.len() <= 1 && n <= IN_PLACE_COLUMNS / 2;
        let columns_in_place = kernel.parts() == 1
            && inner.step(1) == Some(1)
            && (m <= kernel.mr() || m <= IN_PLACE_PANELS * kernel.mr() && kernel.is_near(inner.longest()));
        let columns_cost = |space: &Space| match columns_in_place && space.has_single_step() {
            true => 0.0,
            false => (n * k) as f64 * space.packing(along_columns, false),
        };
        let columns =
            columns.into_iter().min_by(|a, b| columns_cost(a).total_cmp(&columns_cost(b))).expect("there is one way at least");
        let unit = columns.is_unit_in_result();
        let far = if m.saturating_mul(n).saturating_mul(size_of::<T>()) > Caches::here().third / 2 { FAR } else { 1.0 };
        let rows_cost = |space: &Space| {
            let stored =
                (m * n * inner.blocks()) as f64 * space.storing(unit) * if space.is_unit_in_result() { 1.0 } else { far };
            let multiplied = (space.groups() * kernel.lanes) as f64 * n.max(2) as f64 * k as f64 * kernel.cycles();
            let tiles = space.groups().div_ceil(kernel.panel) * columns.groups() * inner.blocks();
            (m * k) as f64 * space.packing(along_rows, rows_in_place) + stored + multiplied + tiles as f64 * CALL
        };
        let rows = Space::candidates(axes(sides[0]), sides[0], kernel.lanes, role, n > k);
        let rows = rows.into_iter().min_by(|a, b| rows_cost(a).total_cmp(&rows_cost(b))).expect("there is one way at least");
        let cost = rows_cost(&rows) + columns_cost(&columns);
        (Problem { kernel, product, sides, rows, columns, inner, cost }, cost)
    }

    /// Roughly how many cycles it takes.
    pub(super) fn cost(&self) -> f64 {
        self.cost
    }

    pub(super) fn whole(&self) -> WorkShare {
        WorkShare { rows: 0..self.rows.groups(), columns: 0..self.columns.groups(), blocks: 0..self.inner.blocks() }
    }

    /// Cuts rows and columns so that little is packed twice.
    pub(super) fn parts(&self, threads: usize) -> Vec<WorkShare> {
        let panels = self.rows.groups().div_ceil(self.kernel.panel);
        let (rows, columns) = (self.rows.groups() * self.kernel.lanes, self.columns.groups() * self.kernel.nr);
        let cuts = (1..=threads).filter(|n| threads.is_multiple_of(*n)).map(|n| (n, threads / n));
        let (down, along) = cuts
            .filter(|&(down, along)| down <= panels && along <= self.columns.groups())
            .min_by_key(|(down, along)| down * columns + along * rows)
            .unwrap_or(if panels > self.columns.groups() {
                (threads.min(panels), 1)
            } else {
                (1, threads.min(self.columns.groups()))
            });
        let bound = |all: usize, n: usize, of: usize| (all as u128 * n as u128 / of as u128) as usize;
        let mut parts = Vec::new();
        for m in 0..down {
            let rows = |n: usize| self.rows.groups().min(bound(panels, n, down) * self.kernel.panel);
            for n in 0..along {
                let columns = |n: usize| bound(self.columns.groups(), n, along);
                parts.push(WorkShare { rows: rows(m)..rows(m + 1), columns: columns(n)..columns(n + 1), ..self.whole() });
            }
        }
        parts
    }

    /// Groups of rows and of columns in a block.
    fn block(&self, part: &WorkShare) -> [usize; 2] {
        let kernel = self.kernel;
        let terms = self.inner.longest() * size_of::<T>();
        // What is fetched ahead needs room beside what is packed.
        let cache = if self.is_fetched_ahead(part) { kernel.block() / 3 * 2 } else { kernel.block() };
        let most = (cache / terms).clamp(kernel.mr(), MOST_ROWS) / kernel.lanes;
        let (panel, together) = (kernel.panel, self.rows.together());
        let unit = if together.is_multiple_of(panel) { together } else { together * panel };
        let rows = if 2 * unit <= 3 * most { (most / unit).max(1) * unit } else { most / panel * panel };
        // Where there is hardly more than a panel of rows, columns are read once: they may as well stay near.
        let bytes = if part.rows.len() <= 2 * panel { kernel.block() / 2 } else { COLUMN_BYTES.min(Caches::here().third / 2) };
        let most = (bytes / terms / kernel.nr).max(1);
        let columns = part.columns.len().div_ceil(part.columns.len().div_ceil(most));
        [rows, columns]
    }

    /// Computes a part of the products whose first elements lie at `starts`.
    pub(super) fn compute(
        &self,
        part: &WorkShare,
        starts: impl IntoIterator<Item = [isize; 3]>,
        out: Sink<'_, T>,
    ) -> Result<(), Error> {
        if part.rows.is_empty() || part.columns.is_empty() || part.blocks.is_empty() {
            return Ok(());
        }
        Workspace::lend(|workspace| {
            let [height, breadth] = self.block(part);
            let once = part.rows.len() <= height && part.columns.len() <= breadth && part.blocks.len() == 1;
            for (n, start) in starts.into_iter().enumerate() {
                // A part that is a single block is written down for the first item alone.
                self.compute_one(workspace, part, [height, breadth], start, out, (n > 0 && once, once))?;
            }
            Ok(())
        })
    }

    /// Computes a part of one product; `known`: its groups and terms are written down already; `once`: there is one block.
    fn compute_one(
        &self,
        workspace: &mut Workspace,
        part: &WorkShare,
        [height, breadth]: [usize; 2],
        start: [isize; 3],
        out: Sink<'_, T>,
        (known, once): (bool, bool),
    ) -> Result<(), Error> {
        let kernel = self.kernel;
        let Workspace { rows, columns, row_groups, next_groups, column_groups, block, ahead } = workspace;
        let most = |groups: usize, panel: usize| groups.next_multiple_of(panel) * self.inner.longest() * kernel.parts();
        let rows = rows.room::<T::Real>(most(height.min(part.rows.len()), kernel.panel) * kernel.lanes)?;
        let columns = columns.room::<T::Real>(most(breadth, 1) * kernel.nr)?;
        if !known {
            block.clear();
        }
        let one_row_block = part.rows.len() <= height;
        let row_block = |first: usize| first..part.rows.end.min(first + height);
        for first_column in part.columns.clone().step_by(breadth) {
            if !known {
                self.columns.write(first_column..part.columns.end.min(first_column + breadth), column_groups);
            }
            for number in part.blocks.clone() {
                if !known {
                    let is_new = self.inner.write(number, kernel.square, block);
                    if is_new || !one_row_block {
                        self.rows.write(row_block(part.rows.start), row_groups);
                    }
                    if is_new {
                        ahead.clear();
                        if !once && self.is_fetched_ahead(part) {
                            ahead.follow(kernel, row_groups, block);
                        }
                    }
                }
                let spread = self.columns_in_place(part, column_groups, block);
                let (rows_lie, spread) = self.lying(self.rows_in_place(part, row_groups, block, start), spread, one_row_block, row_groups);
                let pack_columns = Packing { skipped: spread.0, ..self.packing(1, start, column_groups, block, columns) };
                // SAFETY: the axes lie inside the memory, as the device's operands do; the room is for the longest block.
                unsafe { (kernel.pack_columns)(&pack_columns) };
                let own_columns = pack_columns.from;
                let ahead_in_columns = spread.0 > 0 && spread.1[1] == 1 && part.rows.len() <= kernel.panel;
                if ahead_in_columns && !known {
                    ahead.columns::<T>(column_groups, kernel.nr, block);
                }
                for first_row in part.rows.clone().step_by(height) {
                    let in_place = match (one_row_block, kernel.parts()) {
                        (true, _) => rows_lie,
                        (false, 1) => self.rows_in_place(part, row_groups, block, start),
                        (false, _) => (0, 0),
                    };
                    let pack_rows = Packing { skipped: in_place.0, ..self.packing(0, start, row_groups, block, rows) };
                    // SAFETY: as above.
                    unsafe { (kernel.pack_rows)(&pack_rows) };
                    if !one_row_block {
                        self.rows.write(row_block(part.rows.end.min(first_row + height)), next_groups);
                        if !ahead_in_columns {
                            ahead.expect(kernel, next_groups);
                        }
                    }
                    let own = pack_rows.from;
                    let store = Store {
                        kernel,
                        rows: row_groups,
                        columns: column_groups,
                        out,
                        start: start[OUT],
                        terms: block.len(),
                        alpha: self.product.alpha,
                        add: number > part.blocks.start,
                        epilogue: self.product.epilogue.filter(|_| number + 1 == part.blocks.end),
                        stream: self.is_streamed(part),
                        packed: rows,
                        in_place,
                        own,
                        ahead,
                        ahead_from: if ahead_in_columns { own_columns } else { own },
                    };
                    // SAFETY: the panels have just been packed, or lie in the operands; the result's elements lie inside and
                    // apart, as the product's do, and no other part has these rows and columns.
                    unsafe { tiles(&store, columns, own_columns.cast(), spread) };
                    if !one_row_block {
                        std::mem::swap(row_groups, next_groups);
                    }
                }
            }
        }
        Ok(())
    }

    /// How many groups of rows, whole panels of them, lie in the operand as packing would lay them, but for the distance
    /// from one term to the next, which follows; where they are not read often enough for packing to pay.
    fn rows_in_place(&self, part: &WorkShare, groups: &Groups, block: &Block, start: [isize; 3]) -> (usize, isize) {
        let kernel = self.kernel;
        let Some(step) = block.single_step[0] else { return (0, 0) };
        // Terms far apart fall into few sets of the cache.
        let near = step.unsigned_abs() * size_of::<T>() <= NEAR;
        if part.columns.len() * kernel.nr > if near { IN_PLACE_COLUMNS } else { IN_PLACE_COLUMNS / 2 } {
            return (0, 0);
        }
        // Behind a group that is not whole there may be other elements, which are read in vain, or the memory may end.
        let side = self.sides[0];
        let last = block.start[0] + block.reach[0];
        let room = self.product.factors[side].data.len() as isize - start[side] - last;
        let follows = |n: usize| {
            let (first, group) = (&groups.groups[n / kernel.panel * kernel.panel], &groups.groups[n]);
            let apart = (n % kernel.panel * kernel.lanes) as isize;
            let whole = group.len as usize == kernel.lanes || group.at[OWN] + (kernel.lanes as isize) <= room;
            whole && groups.lanes(n).are_unit(OWN) && group.at[OWN] == first.at[OWN] + apart
        };
        let all = groups.groups.len();
        let count = (0..all).take_while(|&n| follows(n)).count();
        (if count == all { all } else { count / kernel.panel * kernel.panel }, step)
    }

    /// How many groups of columns are read where they lie, and how much further each column and each term is there: those
    /// that are read once, and along neighbours, or that are so small that packing them would take longer.
    fn columns_in_place(&self, part: &WorkShare, groups: &Groups, block: &Block) -> (usize, [isize; 2]) {
        let kernel = self.kernel;
        let bytes = part.columns.len() * kernel.nr * block.len() * size_of::<T>();
        let lanes = groups.single_step(OWN, kernel.nr);
        let (Some(lane), Some(step)) = (lanes, block.single_step[1]) else { return (0, [0; 2]) };
        let once = part.rows.len() <= kernel.panel && step == 1;
        // A panel of them stays in the first cache while all rows are multiplied by it.
        let near = bytes <= IN_PLACE_BYTES || step == 1 && kernel.is_near(block.len());
        if !(once || near && part.rows.len() <= IN_PLACE_PANELS * kernel.panel) {
            return (0, [0; 2]);
        }
        (groups.groups.len(), [lane, step])
    }

    /// What of rows and columns is read where it lies. Kernels of complex numbers read all of both so, or nothing.
    fn lying(
        &self,
        rows: (usize, isize),
        columns: (usize, [isize; 2]),
        one_row_block: bool,
        groups: &Groups,
    ) -> ((usize, isize), (usize, [isize; 2])) {
        if self.kernel.parts() == 1 {
            return (rows, columns);
        }
        let is_conjugate = self.product.factors.iter().any(|factor| factor.conjugate);
        if one_row_block && !is_conjugate && rows.0 == groups.groups.len() && columns.0 > 0 {
            return (rows, columns);
        }
        ((0, 0), (0, [0; 2]))
    }

    /// Whether the result is written once, and larger than the caches.
    fn is_streamed(&self, part: &WorkShare) -> bool {
        let elements = (self.rows.groups() * self.kernel.lanes).saturating_mul(self.columns.groups() * self.kernel.nr);
        let bytes = elements.saturating_mul(points(self.product.batch)).saturating_mul(size_of::<T>());
        part.blocks.len() == 1 && self.product.epilogue.is_none() && self.kernel.parts() == 1 && bytes > Caches::here().third / 2
    }

    /// Whether so little is computed with each element of the rows that the time to read them shows: they are fetched while
    /// the block before them is computed.
    fn is_fetched_ahead(&self, part: &WorkShare) -> bool {
        part.columns.len() * self.kernel.nr <= FEW_COLUMNS
    }

    fn packing<'s>(
        &'s self,
        role: usize,
        start: [isize; 3],
        groups: &'s Groups,
        block: &'s Block,
        to: *mut T::Real,
    ) -> Packing<'s, T> {
        let side = self.sides[role];
        let factor = &self.product.factors[side];
        let packing = Packing {
            from: factor.data.as_ptr().wrapping_offset(start[side] + block.start[role]),
            memory: &factor.data,
            groups,
            skipped: 0,
            inner: &block.at[role],
            runs: &block.runs[role],
            singles: &block.singles[role],
            step: block.step[role],
            to,
            conjugate: factor.conjugate,
        };
        if cfg!(debug_assertions) {
            packing.check();
        }
        packing
    }
}

/// All tiles of a block.
///
/// # Safety
/// As [`Store::tile`].
unsafe fn tiles<T: GemmElement>(
    store: &Store<'_, T>,
    packed: *const T::Real,
    own: *const T::Real,
    (in_place, spread): (usize, [isize; 2]),
) {
    let kernel = store.kernel;
    let numbers = kernel.nr * store.terms * kernel.parts();
    let mut next = 0;
    for column in 0..store.columns.groups.len() {
        let columns = if column < in_place {
            store.columns(column, own.wrapping_offset(store.columns.groups[column].at[OWN]), Some(spread))
        } else {
            store.columns(column, packed.wrapping_add(column * numbers), None)
        };
        for row in (0..store.rows.groups.len()).step_by(kernel.panel) {
            // SAFETY: the caller's promise.
            unsafe { store.tile(row, &columns, next) };
            next += 1;
        }
        // SAFETY: the caller's promise.
        unsafe { store.apply_epilogue(&columns) };
    }
}
