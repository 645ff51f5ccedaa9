//! A product, cut up for the kernels: into parts for threads, and these into blocks that caches hold.

use std::ops::Range;

use super::kernel::{Kernel, Multiplied};
use super::pack::Packing;
use super::space::{self, Inner, OWN, Role, Space};
use super::store::Store;
use super::workspace::Workspace;
use crate::backend::cpu::contract::{LEFT, OUT, Product, RIGHT};
use crate::backend::cpu::fuse::points;
use crate::backend::cpu::sink::Sink;
use crate::element::Element;
use crate::error::Error;

/// Rows of a block at most: more bring nothing.
const MOST_ROWS: usize = 480;
/// Bytes of a block of packed columns: part of the third cache.
const COLUMN_BYTES: usize = 6 << 20;
/// Columns with so few of which a core computes faster than memory can be read.
const FEW_COLUMNS: usize = 64;
/// Terms of a sum that takes longer than it takes to spread its result.
const LONG: usize = 512;
/// Columns with so few of which rows are read where they are.
const IN_PLACE_COLUMNS: usize = 128;

/// Terms of a block: a panel of columns of them stays in the first cache.
pub(super) fn terms<T: Element>() -> usize {
    if size_of::<T>() > 8 { 256 } else { 384 }
}

/// A product, cut up for the kernels; which item of a batch it is makes no difference.
pub(super) struct Problem<'a, T: Multiplied> {
    kernel: &'a Kernel<T>,
    product: &'a Product<'a, T>,
    /// The factors that rows and columns belong to.
    sides: [usize; 2],
    rows: Space,
    columns: Space,
    inner: Inner,
}

/// What one thread computes: groups of rows, groups of columns, blocks of the sum.
pub(super) struct Part {
    pub(super) rows: Range<usize>,
    pub(super) columns: Range<usize>,
    pub(super) blocks: Range<usize>,
}

impl<'a, T: Multiplied> Problem<'a, T> {
    pub(super) fn new(product: &'a Product<'a, T>, kernel: &'a Kernel<T>) -> Problem<'a, T> {
        let sides = sides(product, kernel);
        let axes = |side: usize| if side == LEFT { &product.rows } else { &product.columns };
        let [m, n] = sides.map(|side| points(axes(side)));
        let k = points(&product.inner);
        let role = Role::Rows { panel: kernel.panel };
        Problem {
            kernel,
            product,
            sides,
            rows: Space::new(axes(sides[0]), sides[0], kernel.width, role, n > k),
            columns: Space::new(axes(sides[1]), sides[1], kernel.columns, Role::Columns, m > k),
            inner: Inner::new(&product.inner, sides, usize::from(m < n), terms::<T>()),
        }
    }

    pub(super) fn whole(&self) -> Part {
        Part { rows: 0..self.rows.groups(), columns: 0..self.columns.groups(), blocks: 0..self.inner.blocks() }
    }

    /// Cuts rows and columns so that little is packed twice.
    pub(super) fn parts(&self, threads: usize) -> Vec<Part> {
        let panels = self.rows.groups().div_ceil(self.kernel.panel);
        let (rows, columns) = (self.rows.groups() * self.kernel.width, self.columns.groups() * self.kernel.columns);
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
                parts.push(Part { rows: rows(m)..rows(m + 1), columns: columns(n)..columns(n + 1), ..self.whole() });
            }
        }
        parts
    }

    /// Groups of rows and of columns in a block.
    fn block(&self, part: &Part) -> [usize; 2] {
        let kernel = self.kernel;
        let terms = self.inner.longest() * size_of::<T>();
        // What is fetched ahead needs room beside what is packed.
        let cache = if self.fetched_ahead(part) == Some(0) { kernel.cache / 3 * 2 } else { kernel.cache };
        let most = (cache / terms).clamp(kernel.width * kernel.panel, MOST_ROWS) / kernel.width;
        let (panel, together) = (kernel.panel, self.rows.together());
        let unit = if together.is_multiple_of(panel) { together } else { together * panel };
        let rows = if 2 * unit <= 3 * most { (most / unit).max(1) * unit } else { most / panel * panel };
        // Where there is hardly more than a panel of rows, columns are read once: they may as well stay near.
        let bytes = if part.rows.len() <= 2 * panel { kernel.cache / 2 } else { COLUMN_BYTES };
        let most = (bytes / terms / kernel.columns).max(1);
        let columns = part.columns.len().div_ceil(part.columns.len().div_ceil(most));
        [rows, columns]
    }

    /// Computes a part of the product whose first elements lie at `start`.
    pub(super) fn compute(&self, part: &Part, start: [isize; 3], out: Sink<'_, T>) -> Result<(), Error> {
        if part.rows.is_empty() || part.columns.is_empty() || part.blocks.is_empty() {
            return Ok(());
        }
        Workspace::lend(|workspace| self.compute_in(workspace, part, start, out))
    }

    fn compute_in(&self, workspace: &mut Workspace, part: &Part, start: [isize; 3], out: Sink<'_, T>) -> Result<(), Error> {
        let kernel = self.kernel;
        let [height, breadth] = self.block(part);
        let Workspace { rows, columns, row_groups, next_groups, column_groups, block, ahead } = workspace;
        let most = |groups: usize, panel: usize| groups.next_multiple_of(panel) * self.inner.longest() * kernel.parts();
        let rows = rows.room::<T::Real>(most(height.min(part.rows.len()), kernel.panel) * kernel.width)?;
        let columns = columns.room::<T::Real>(most(breadth, 1) * kernel.columns)?;
        let row_block = |first: usize| first..part.rows.end.min(first + height);
        let column_block = |first: usize| first..part.columns.end.min(first + breadth);
        for first_column in part.columns.clone().step_by(breadth) {
            self.columns.write(column_block(first_column), column_groups);
            for number in part.blocks.clone() {
                self.inner.write(number, kernel.square, block);
                self.rows.write(row_block(part.rows.start), row_groups);
                let pack_columns = self.packing(1, start, column_groups, block, columns);
                // SAFETY: the axes lie inside the memory, as the device's operands do; the room is for the longest block.
                unsafe { (kernel.pack_columns)(&pack_columns) };
                let fetched = self.fetched_ahead(part);
                match fetched {
                    Some(0) => ahead.follow(kernel, 0, row_groups, block),
                    Some(_) => {
                        ahead.follow(kernel, 1, column_groups, block);
                        self.columns.write(column_block(part.columns.end.min(first_column + breadth)), next_groups);
                        ahead.expect::<T>(next_groups);
                    }
                    None => ahead.clear(),
                }
                for first_row in part.rows.clone().step_by(height) {
                    let in_place = self.in_place(part, row_groups, block);
                    let pack_rows = Packing { skipped: in_place.0, ..self.packing(0, start, row_groups, block, rows) };
                    // SAFETY: as above.
                    unsafe { (kernel.pack_rows)(&pack_rows) };
                    self.rows.write(row_block(part.rows.end.min(first_row + height)), next_groups);
                    if fetched == Some(0) {
                        ahead.expect::<T>(next_groups);
                    }
                    let own = pack_rows.from.wrapping_offset(block.at[0][0]);
                    let store = Store {
                        kernel,
                        rows: row_groups,
                        columns: column_groups,
                        out,
                        start: start[OUT],
                        terms: block.len(),
                        alpha: self.product.alpha,
                        add: number > part.blocks.start,
                        packed: rows,
                        in_place,
                        own,
                        ahead,
                        ahead_from: if fetched == Some(1) { pack_columns.from.wrapping_offset(block.at[1][0]) } else { own },
                    };
                    // SAFETY: the panels have just been packed, or lie in the operand; the result's elements lie inside and
                    // apart, as the product's do, and no other part has these rows and columns.
                    unsafe { tiles(&store, columns) };
                    std::mem::swap(row_groups, next_groups);
                }
            }
        }
        Ok(())
    }

    /// How many groups of rows, whole panels of them, lie in the operand as packing would lay them, but for the distance
    /// from one term to the next, which follows; where they are not read often enough for packing to pay.
    fn in_place(&self, part: &Part, groups: &space::Groups, block: &space::Block) -> (usize, isize) {
        let at = &block.at[0];
        let step = at.get(1).map_or(0, |second| second - at[0]);
        let kernel = self.kernel;
        let few = part.columns.len() * kernel.columns <= IN_PLACE_COLUMNS;
        if kernel.parts() > 1 || !few || at.windows(2).any(|pair| pair[1] - pair[0] != step) {
            return (0, 0);
        }
        let follows = |n: usize| {
            let (first, group) = (&groups.groups[n / kernel.panel * kernel.panel], &groups.groups[n]);
            let apart = (n % kernel.panel * kernel.width) as isize;
            let whole = group.len as usize == kernel.width && groups.lanes(n).unit[OWN];
            whole && group.at[OWN] == first.at[OWN] + apart
        };
        let all = groups.groups.len();
        let count = (0..all).take_while(|&n| follows(n)).count();
        (if count == all { all } else { count / kernel.panel * kernel.panel }, step)
    }

    /// What is fetched while the block before it is computed, where so little is computed with each element that the time
    /// to read them shows: rows (0), or, where one block has all of them and all terms, columns (1).
    fn fetched_ahead(&self, part: &Part) -> Option<usize> {
        if part.columns.len() * self.kernel.columns <= FEW_COLUMNS {
            Some(0)
        } else if part.rows.len() <= 2 * self.kernel.panel && part.blocks.len() == 1 {
            Some(1)
        } else {
            None
        }
    }

    fn packing<'s>(
        &'s self,
        role: usize,
        start: [isize; 3],
        groups: &'s space::Groups,
        block: &'s space::Block,
        to: *mut T::Real,
    ) -> Packing<'s, T> {
        let side = self.sides[role];
        let factor = &self.product.factors[side];
        let packing = Packing {
            from: factor.data.as_ptr().wrapping_offset(start[side]),
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
unsafe fn tiles<T: Multiplied>(store: &Store<'_, T>, columns: *const T::Real) {
    let kernel = store.kernel;
    let numbers = store.terms * kernel.parts();
    let mut next = 0;
    for column in 0..store.columns.groups.len() {
        let columns = store.columns(column, columns.wrapping_add(column * kernel.columns * numbers));
        for row in (0..store.rows.groups.len()).step_by(kernel.panel) {
            // SAFETY: the caller's promise.
            unsafe { store.tile(row, &columns, next) };
            next += 1;
        }
    }
}

/// Which factor is to have the rows: the one along whose axes the result is contiguous.
fn sides<T: Multiplied>(product: &Product<'_, T>, kernel: &Kernel<T>) -> [usize; 2] {
    let axes = [&product.rows, &product.columns];
    let unit = axes.map(|axes| axes.iter().any(|axis| axis.strides[OUT] == 1));
    let [m, n] = axes.map(|axes| points(axes));
    let turned = if unit[0] == unit[1] { n > m } else { unit[1] };
    // Of few rows and many columns, the many are fetched ahead as rows; to spread the result takes less than the sum.
    let lopsided = |few: usize, many: usize| few <= FEW_COLUMNS && many > 8 * few && points(&product.inner) >= LONG;
    let turned = if lopsided(m, n) { true } else { turned && !lopsided(n, m) };
    let filled = |m: usize, n: usize| {
        let part = |points: usize, of: usize| points as f64 / points.next_multiple_of(of) as f64;
        part(m, kernel.width) * part(n, kernel.columns)
    };
    let (straight, across) = (filled(m, n), filled(n, m));
    let turned = if turned { straight < 1.5 * across } else { across > 1.5 * straight };
    if turned { [RIGHT, LEFT] } else { [LEFT, RIGHT] }
}
