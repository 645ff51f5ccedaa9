//! A product, cut up for the kernels: into parts for threads, and these into blocks that caches hold.

use std::ops::Range;

use super::kernel::{GemmElement, Kernel};
use super::model::{Cut, IN_PLACE_PANELS, most_columns};
use super::pack::Packing;
use super::panels::Panel;
use super::prefetch;
use super::product::{Item, Product};
use super::space::{Groups, OWN};
use super::store::Store;
use super::terms::Block;
use super::workspace::Workspace;
use crate::multiversion::{finish_streams, prefetch_line};
use crate::product::OUT;
use crate::simd::Caches;
use crate::sink::Sink;
use crate::tasks;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::storage::LINE;

/// Rows of a block at most: more bring nothing.
const MOST_ROWS: usize = 480;
/// Bytes of a block of packed columns at most.
const COLUMN_BYTES: usize = 6 << 20;
/// Panels of rows with so few of which the time to read columns shows.
const FEW_PANELS: usize = 4;
/// Bytes of columns that are not worth packing.
const IN_PLACE_BYTES: usize = 544 << 10;
/// With so many products in one call it pays to list the cache lines that each reads, so that they are fetched in time. Making the list
/// takes about as long as one small product.
const MANY_ITEMS: usize = 8;
/// Bytes between terms that are read where they are as well as if they were packed.
const NEAR: usize = 4 << 10;

/// A product, cut up for the kernels; which item of a batch it is makes no difference.
pub(super) struct Problem<'a, T: GemmElement> {
    pub(super) kernel: &'a Kernel<T>,
    pub(super) product: &'a Product<'a, T>,
    pub(super) cut: &'a Cut,
}

/// What one thread computes: groups of rows, groups of columns, blocks of the sum.
pub(super) struct WorkShare {
    pub(super) rows: Range<usize>,
    pub(super) columns: Range<usize>,
    pub(super) blocks: Range<usize>,
}

impl<'a, T: GemmElement> Problem<'a, T> {
    /// A product, cut up in that way for this kernel.
    pub(super) fn new(product: &'a Product<'a, T>, kernel: &'a Kernel<T>, cut: &'a Cut) -> Problem<'a, T> {
        Problem { kernel, product, cut }
    }

    pub(super) fn whole(&self) -> WorkShare {
        WorkShare { rows: 0..self.cut.rows.groups(), columns: 0..self.cut.columns.groups(), blocks: 0..self.cut.inner.blocks() }
    }

    /// Cuts rows and columns so that little is packed twice.
    pub(super) fn parts(&self, threads: usize) -> Vec<WorkShare> {
        let panels = self.cut.rows.groups().div_ceil(self.kernel.panel);
        let (rows, columns) = (self.cut.rows.groups() * self.kernel.lanes, self.cut.columns.groups() * self.kernel.nr);
        let cuts = (1..=threads).filter(|n| threads.is_multiple_of(*n)).map(|n| (n, threads / n));
        let (down, along) = cuts
            .filter(|&(down, along)| down <= panels && along <= self.cut.columns.groups())
            .min_by_key(|(down, along)| down * columns + along * rows)
            .unwrap_or(if panels > self.cut.columns.groups() {
                (threads.min(panels), 1)
            } else {
                (1, threads.min(self.cut.columns.groups()))
            });
        let mut parts = Vec::new();
        for m in 0..down {
            let rows = |n: usize| self.cut.rows.groups().min(tasks::bound(panels, n, down) * self.kernel.panel);
            for n in 0..along {
                let columns = |n: usize| tasks::bound(self.cut.columns.groups(), n, along);
                parts.push(WorkShare { rows: rows(m)..rows(m + 1), columns: columns(n)..columns(n + 1), ..self.whole() });
            }
        }
        parts
    }

    /// Groups of rows and of columns in a block.
    fn block(&self, part: &WorkShare) -> [usize; 2] {
        let kernel = self.kernel;
        let terms = self.cut.inner.longest() * size_of::<T>();
        // What is fetched ahead needs room beside what is packed.
        let cache = if self.is_fetched_ahead(part) { kernel.block() / 3 * 2 } else { kernel.block() };
        let most = (cache / terms).clamp(kernel.mr(), MOST_ROWS) / kernel.lanes;
        let (panel, together) = (kernel.panel, self.cut.rows.together());
        let unit = if together.is_multiple_of(panel) { together } else { together * panel };
        let rows = if 2 * unit <= 3 * most { (most / unit).max(1) * unit } else { most / panel * panel };
        // Where there is one block of rows, packed columns are read by that alone: they may as well stay near. But more blocks of columns
        // pack rows again for each block of terms, and write down lists again for each item: there it is worth it for a panel or two
        // alone, whose columns are hardly read again.
        let is_single = self.product.batch.is_empty() && !self.product.adds && part.blocks.len() == 1;
        let once = part.rows.len() <= if is_single { rows.max(2 * panel) } else { 2 * panel };
        let bytes = if once { kernel.block() / 2 } else { COLUMN_BYTES.min(Caches::here().third / 2) };
        let most = (bytes / terms / kernel.nr).max(1);
        let columns = part.columns.len().div_ceil(part.columns.len().div_ceil(most));
        [rows, columns]
    }

    /// Computes a part of these products.
    pub(super) fn compute(&self, part: &WorkShare, items: impl IntoIterator<Item = Item>, out: Sink<'_, T>) -> Result<(), Error> {
        if part.rows.is_empty() || part.columns.is_empty() || part.blocks.is_empty() {
            return Ok(());
        }
        Workspace::lend(|workspace| {
            let [height, breadth] = self.block(part);
            let once = part.rows.len() <= height && part.columns.len() <= breadth && part.blocks.len() == 1;
            let items = items.into_iter();
            let asks = once && items.size_hint().0 >= MANY_ITEMS && self.comes_from_memory();
            let (mut items, mut known) = (items.peekable(), false);
            while let Some(Item { start, adds }) = items.next() {
                // A part that is a single block is written down for the first item alone. If there are many items, what the next one reads
                // is asked for.
                let next = items.peek().filter(|_| asks).map_or(start, |next| next.start);
                self.compute_one(workspace, part, [height, breadth], [start, next], (out, adds), (known, once))?;
                known = once;
            }
            if self.is_streamed(part) {
                finish_streams();
            }
            Ok(())
        })
    }

    /// Computes a part of one product, and asks for what the next one reads, if that begins elsewhere; `known`: its groups and terms are
    /// written down already; `once`: there is one block; `adds`: to what the result holds.
    fn compute_one(
        &self,
        workspace: &mut Workspace,
        part: &WorkShare,
        [height, breadth]: [usize; 2],
        [start, next]: [[isize; 3]; 2],
        (out, adds): (Sink<'_, T>, bool),
        (known, once): (bool, bool),
    ) -> Result<(), Error> {
        let kernel = self.kernel;
        let Workspace {
            rows,
            columns,
            row_groups,
            next_groups,
            column_groups,
            block: written,
            ahead,
            coming,
            panels: row_panels,
            lines,
            ..
        } = workspace;
        let most = |groups: usize, panel: usize| groups.next_multiple_of(panel) * self.cut.inner.longest() * kernel.parts();
        let rows = rows.room::<T::Real>(most(height.min(part.rows.len()), kernel.panel) * kernel.lanes)?;
        let columns = columns.room::<T::Real>(most(breadth, 1) * kernel.nr)?;
        if !known {
            written.clear();
        }
        let only = self.cut.inner.only(kernel.square);
        let one_row_block = part.rows.len() <= height;
        let far = self.is_far();
        let row_block = |first: usize| first..part.rows.end.min(first + height);
        let mut packed_beside = None;
        for first_column in part.columns.clone().step_by(breadth) {
            // One block of rows and of terms serves all blocks of columns.
            let again = first_column > part.columns.start && one_row_block && part.blocks.len() == 1;
            // Rows and terms are written down already, for an earlier item or block of columns.
            let listed = known || again;
            if !known {
                self.cut.columns.write(first_column..part.columns.end.min(first_column + breadth), column_groups);
                if far {
                    lines[1].write_columns::<T>(column_groups);
                }
            }
            for number in part.blocks.clone() {
                let is_new = match only {
                    _ if listed => false,
                    Some(_) => first_column == part.columns.start,
                    None => self.cut.inner.write(number, kernel.square, written),
                };
                let block = only.unwrap_or(written);
                if !listed {
                    if is_new || !one_row_block {
                        self.cut.rows.write(row_block(part.rows.start), row_groups);
                    }
                    if is_new {
                        ahead.clear();
                        if !once && self.is_fetched_ahead(part) {
                            ahead.follow(kernel, row_groups, block);
                        }
                    }
                    coming.iter_mut().for_each(Vec::clear);
                    if next != start {
                        prefetch::lines::<T>(row_groups, &block.at[0], &mut coming[0]);
                        prefetch::lines::<T>(column_groups, &block.at[1], &mut coming[1]);
                    }
                }
                let spread = self.columns_in_place(part, column_groups, block);
                let (rows_lie, spread) =
                    self.lying(self.rows_in_place(part, row_groups, block, start), spread, one_row_block, row_groups);
                let pack_columns = Packing { skipped: spread.0, ..self.packing(1, start, column_groups, block, columns) };
                // SAFETY: the axes lie inside the memory, as the device's operands do; the room is for the longest block.
                unsafe { (kernel.pack_columns)(&pack_columns) };
                let own_columns = pack_columns.from;
                let panels = part.rows.len().div_ceil(kernel.panel);
                let ahead_in_columns = spread.0 > 0 && spread.1[1] == 1 && panels <= FEW_PANELS;
                if ahead_in_columns && !known {
                    ahead.columns::<T>(column_groups, kernel.nr, block, panels);
                } else if again {
                    // Another block of columns may have been read where it lies.
                    ahead.clear();
                }
                for first_row in part.rows.clone().step_by(height) {
                    let in_place = match (one_row_block, kernel.parts()) {
                        (true, _) => rows_lie,
                        (false, 1) => self.rows_in_place(part, row_groups, block, start),
                        (false, _) => (0, 0),
                    };
                    let pack_rows = Packing { skipped: in_place.0, ..self.packing(0, start, row_groups, block, rows) };
                    if !again || packed_beside != Some(in_place) {
                        // SAFETY: as above.
                        unsafe { (kernel.pack_rows)(&pack_rows) };
                        packed_beside = Some(in_place);
                    }
                    if !one_row_block {
                        self.cut.rows.write(row_block(part.rows.end.min(first_row + height)), next_groups);
                        if !ahead_in_columns {
                            ahead.expect(kernel, next_groups);
                        }
                    }
                    if !listed || !one_row_block {
                        Panel::write(kernel, row_groups, row_panels);
                        if far {
                            lines[0].write_panels::<T>(row_panels, row_groups);
                        }
                    }
                    let own = pack_rows.from;
                    let store = Store {
                        kernel,
                        rows: row_groups,
                        panels: row_panels,
                        columns: column_groups,
                        lines,
                        out,
                        start: start[OUT],
                        terms: block.len(),
                        alpha: self.product.alpha,
                        add: adds || number > part.blocks.start,
                        epilogue: self.product.epilogue.filter(|_| number + 1 == part.blocks.end),
                        stream: self.is_streamed(part),
                        far,
                        packed: rows,
                        in_place,
                        own,
                        coming: [0, 1].map(|role| {
                            let side = self.cut.sides[role];
                            let from = self.product.factors[side].data.as_ptr().wrapping_offset(next[side] + block.start[role]);
                            (&coming[role][..], from)
                        }),
                        ahead,
                        ahead_from: if ahead_in_columns { own_columns } else { own },
                    };
                    // SAFETY: the panels have been packed, for this block of columns or an earlier one that reads the same rows, or lie in
                    // the operands; nothing else has written to their memory since. The result's elements lie inside and
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
        let side = self.cut.sides[0];
        let first = start[side] + block.start[0];
        // Terms far apart fall into few sets of the cache.
        let near = step.unsigned_abs() * size_of::<T>() <= NEAR;
        let columns = part.columns.len() * kernel.nr;
        let most = |are_split: bool| most_columns(kernel, are_split) / if near { 1 } else { 2 };
        if columns > most(false) || columns > most(true) && !self.begins_at_lines(groups, step, first) {
            return (0, 0);
        }
        // Behind a group that is not whole there may be other elements, which are read in vain, or the memory may end.
        let room = self.product.factors[side].data.len() as isize - first - block.reach[0];
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

    /// Whether all vectors of rows that are read where they lie, from the first term's place on, begin at cache lines, if the operand does.
    fn begins_at_lines(&self, groups: &Groups, step: isize, first: isize) -> bool {
        let line = (LINE / size_of::<T>()) as isize;
        step % line == 0 && groups.groups.iter().all(|group| (first + group.at[OWN]) % line == 0)
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
        let near = bytes <= kernel.limit_in_place(IN_PLACE_BYTES) || step == 1 && kernel.is_near(block.len());
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

    fn packing<'s>(
        &'s self,
        role: usize,
        start: [isize; 3],
        groups: &'s Groups,
        block: &'s Block,
        to: *mut T::Real,
    ) -> Packing<'s, T> {
        let side = self.cut.sides[role];
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
    let count = store.columns.groups.len() * store.panels.len();
    for column in 0..store.columns.groups.len() {
        let columns = if column < in_place {
            let start = own.wrapping_offset(store.columns.groups[column].at[OWN] * kernel.parts() as isize);
            store.columns(column, start, Some(spread))
        } else {
            store.columns(column, packed.wrapping_add(column * numbers), None)
        };
        for panel in store.panels {
            for (lines, from) in &store.coming {
                for &line in &lines[lines.len() * next / count..lines.len() * (next + 1) / count] {
                    prefetch_line(from.wrapping_offset(line));
                }
            }
            // SAFETY: the caller's promise.
            unsafe { store.tile(panel, &columns, next) };
            next += 1;
        }
        // SAFETY: the caller's promise.
        unsafe { store.apply_epilogue(&columns) };
    }
}
