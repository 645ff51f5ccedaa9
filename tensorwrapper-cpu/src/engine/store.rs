//! Tiles of the result: computed where they belong, or apart and then spread over any strides.

use std::mem::MaybeUninit;
use std::ops::Range;

use super::epilogue::BoundEpilogue;
use super::kernel::{AHEAD, GemmElement, Kernel, MOST_TERMS, MOST_TILE, Tile};
use super::panels::{self, AskedLines, Panel, Stored};
use super::prefetch::Ahead;
use super::scatter::Scatter;
use super::space::{Groups, Lanes, MOST_COLUMNS, OWN, RESULT};
use crate::simd::foresees;
use crate::sink::Sink;
use tensorwrapper_core::element::Element;

/// Lines of a tile that fetches none.
pub(super) static NOWHERE: [isize; MOST_TERMS] = [0; MOST_TERMS];

/// A tile on the stack, whose vectors lie in a cache line each.
#[repr(align(64))]
struct Apart<T>([MaybeUninit<T>; MOST_TILE]);

/// Where the tiles of a block go.
pub(super) struct Store<'a, T: Element> {
    pub(super) kernel: &'a Kernel<T>,
    pub(super) rows: &'a Groups,
    pub(super) panels: &'a [Panel],
    pub(super) columns: &'a Groups,
    /// The lines that panels and columns are stored in, where the result is far.
    pub(super) lines: &'a [AskedLines; 2],
    pub(super) out: Sink<'a, T>,
    /// Where the first element of the result lies.
    pub(super) start: isize,
    pub(super) terms: usize,
    pub(super) alpha: T,
    pub(super) add: bool,
    /// What is to be done with the elements, if their sums are complete.
    pub(super) epilogue: Option<&'a BoundEpilogue<'a, T>>,
    /// Packed rows; how many groups are not packed, but read from the operand, and how much further each term is there.
    pub(super) packed: *const T::Real,
    pub(super) in_place: (usize, isize),
    /// Where positions in the rows' operand are counted from.
    pub(super) own: *const T,
    /// Whether the result is so large that it is written past the caches.
    pub(super) stream: bool,
    /// Whether it is so large that stores wait for their lines: those that are not written whole are asked for a tile ahead.
    pub(super) far: bool,
    /// What the next item of a batch reads of rows and of columns: lines, and where they are counted from. Tiles share them.
    pub(super) coming: [(&'a [isize], *const T); 2],
    /// What tiles fetch for later ones, and where that is counted from.
    pub(super) ahead: &'a Ahead,
    pub(super) ahead_from: *const T,
}

/// A column panel's place in the result.
pub(super) struct Columns<'s, R> {
    start: *const R,
    /// Where they are not packed: how much further each column and each term is.
    spread: Option<[isize; 2]>,
    along: [isize; MOST_COLUMNS],
    len: usize,
    lanes: &'s Lanes,
}

impl<T: GemmElement> Store<'_, T> {
    /// Looks up where a panel of columns is, from `start` on, and where it goes.
    pub(super) fn columns(&self, group: usize, start: *const T::Real, spread: Option<[isize; 2]>) -> Columns<'_, T::Real> {
        let (at, lanes) = (&self.columns.groups[group], self.columns.lanes(group));
        let along = std::array::from_fn(|n| at.at[RESULT] + lanes.at[RESULT][n]);
        Columns { start, spread, along, len: at.len as usize, lanes }
    }

    /// Asks for the lines in which the tile of that number will be stored, in the order of [`tile`](Store::tile).
    #[inline(always)]
    pub(super) fn ask(&self, number: usize) {
        let (column, panel) = (number / self.panels.len(), number % self.panels.len());
        if self.panels[panel].stored == Stored::Whole || column >= self.columns.groups.len() {
            return;
        }
        let base = self.out.base().wrapping_offset(self.start);
        panels::ask(base.cast_const(), self.lines[0].of(panel), self.lines[1].of(column));
    }

    /// Computes the tile of a panel of rows; it is the block's tile of that number.
    ///
    /// # Safety
    /// The panels hold as many terms as they should. All elements of the tile lie inside the result, apart from each other,
    /// and nobody else touches them.
    #[inline(always)]
    pub(super) unsafe fn tile(&self, panel: &Panel, columns: &Columns<'_, T::Real>, number: usize) {
        let base = self.out.base().wrapping_offset(self.start);
        let first = panel.first;
        let is_packed = first >= self.in_place.0;
        let (rows, step) = if is_packed {
            let numbers = self.kernel.lanes * self.kernel.parts();
            (self.packed.wrapping_add(first * numbers * self.terms), (self.kernel.panel * numbers) as isize)
        } else {
            (self.own.wrapping_offset(self.rows.groups[first].at[OWN]).cast(), self.in_place.1)
        };
        if self.far {
            self.ask(number + 1);
        }
        let ahead = self.ahead.tile(number).map(|(first, further)| {
            debug_assert_eq!(further.len(), self.terms, "one line for each term");
            (self.ahead_from.wrapping_offset(first), further.as_ptr())
        });
        let mut tile = Tile {
            terms: self.terms,
            rows,
            step,
            near: if is_packed && foresees() { 0 } else { AHEAD * step },
            columns: columns.start,
            spread: columns.spread,
            groups: panel.groups,
            wanted: columns.len,
            alpha: self.alpha,
            add: self.add,
            stream: false,
            ragged: None,
            asks: ahead.is_some(),
            // Or the line that is being read.
            ahead: ahead.unwrap_or((rows.cast(), NOWHERE[..self.terms].as_ptr())),
            to: panel.to.map(|to| base.wrapping_offset(to)),
            along: columns.along,
        };
        match panel.stored {
            Stored::Whole => tile.stream = self.stream && self.is_aligned(&tile),
            Stored::Ragged => tile.ragged = Some(panel.lens),
            // SAFETY: the caller's promise.
            Stored::Apart => return unsafe { self.spread(&mut tile, panel, columns) },
        }
        self.check(panel, columns);
        // SAFETY: the caller's promise.
        unsafe { (self.kernel.tile)(&tile) }
    }

    /// Whether all vectors of a tile go to addresses that are multiples of their size.
    fn is_aligned(&self, tile: &Tile<T>) -> bool {
        let to = tile.to[..tile.groups].iter();
        let places = to.flat_map(|to| tile.along[..tile.wanted].iter().map(|along| to.wrapping_offset(*along) as usize));
        places.fold(0, |all, place| all | place).is_multiple_of(self.kernel.lanes * size_of::<T>())
    }

    /// Computes a tile apart, and writes those of its elements that there are.
    ///
    /// # Safety
    /// As [`tile`](Store::tile).
    unsafe fn spread(&self, tile: &mut Tile<T>, panel: &Panel, columns: &Columns<'_, T::Real>) {
        let (width, height) = (self.kernel.lanes, self.kernel.mr());
        let mut apart = Apart([const { MaybeUninit::<T>::uninit() }; MOST_TILE]);
        let start = apart.0.as_mut_ptr().cast::<T>();
        tile.to = std::array::from_fn(|n| start.wrapping_add(n * width));
        tile.along = std::array::from_fn(|n| (n * height) as isize);
        tile.add = false;
        // SAFETY: the array has room for the largest tile; see the assertions beside the kernels.
        unsafe { (self.kernel.tile)(tile) };
        for g in 0..panel.groups {
            let scatter = Scatter {
                from: start.wrapping_add(g * width),
                apart: height,
                len: panel.lens[g],
                columns: columns.len,
                to: self.out.base().wrapping_offset(self.start + panel.to[g]),
                rows: self.rows.lanes(panel.first + g),
                along: &columns.along,
                column_lanes: columns.lanes,
                add: self.add,
            };
            self.check_scattered(&scatter);
            // SAFETY: the kernel has written all columns of these groups; for the rest the caller's promise.
            unsafe { (self.kernel.scatter)(&scatter) };
        }
    }

    /// Finishes all rows of these columns, if that is to be done.
    ///
    /// # Safety
    /// As [`tile`](Store::tile); all tiles of these columns have been written.
    pub(super) unsafe fn apply_epilogue(&self, columns: &Columns<'_, T::Real>) {
        let Some(epilogue) = self.epilogue else { return };
        let apply = |run: &Range<isize>| {
            if !run.is_empty() {
                // SAFETY: the caller's promise.
                epilogue.apply(unsafe { self.out.slice(run.start, run.len()) }, run.start);
            }
        };
        for along in &columns.along[..columns.len] {
            let mut run = 0..0;
            for (n, group) in self.rows.groups.iter().enumerate() {
                let (lanes, len) = (self.rows.lanes(n), group.len as usize);
                for (first, count) in lanes.runs(RESULT, len).iter().map(|run| run.within(len)) {
                    let at = self.start + group.at[RESULT] + lanes.at[RESULT][first] + along;
                    if at != run.end {
                        apply(&run);
                        run = at..at;
                    }
                    run.end += count as isize;
                }
            }
            apply(&run);
        }
    }

    /// In debug builds, asserts that what is scattered lies inside the result.
    fn check_scattered(&self, scatter: &Scatter<'_, T>) {
        if cfg!(debug_assertions) {
            // SAFETY: both are of one memory.
            let first = unsafe { scatter.to.offset_from(self.out.base()) };
            for row in &scatter.rows.at[RESULT][..scatter.len] {
                for along in &scatter.along[..scatter.columns] {
                    // SAFETY: the address is not used; the assertion in `address` is all that is wanted.
                    unsafe { self.out.address(first + row + along) };
                }
            }
        }
    }

    /// In debug builds, asserts that a tile that the kernel stores lies inside the result.
    fn check(&self, panel: &Panel, columns: &Columns<'_, T::Real>) {
        if cfg!(debug_assertions) {
            for (to, len) in panel.to.iter().zip(panel.lens).take(panel.groups) {
                for along in &columns.along[..columns.len] {
                    let at = self.start + to + along;
                    // SAFETY: the addresses are not used; the assertion in `address` is all that is wanted.
                    unsafe { (self.out.address(at), self.out.address(at + len as isize - 1)) };
                }
            }
        }
    }
}
