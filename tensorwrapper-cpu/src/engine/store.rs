//! Tiles of the result: computed where they belong, or apart and then spread over any strides.

use std::mem::MaybeUninit;
use std::ops::Range;

use super::epilogue::BoundEpilogue;
use super::kernel::{AHEAD, GemmElement, Kernel, MOST_GROUPS, MOST_TERMS, MOST_TILE, Tile};
use super::prefetch::Ahead;
use super::scatter::Scatter;
use super::space::{Groups, MOST_COLUMNS, OWN, RESULT};
use crate::sink::Sink;
use tensorwrapper_core::element::Element;

/// Lines of a tile that fetches none.
pub(super) static NOWHERE: [isize; MOST_TERMS] = [0; MOST_TERMS];

/// Where the tiles of a block go.
pub(super) struct Store<'a, T: Element> {
    pub(super) kernel: &'a Kernel<T>,
    pub(super) rows: &'a Groups,
    pub(super) columns: &'a Groups,
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
    /// What the next item of a batch reads of rows and of columns: lines, and where they are counted from. Tiles share them.
    pub(super) coming: [(&'a [isize], *const T); 2],
    /// What tiles fetch for later ones, and where that is counted from.
    pub(super) ahead: &'a Ahead,
    pub(super) ahead_from: *const T,
}

/// A column panel's place in the result.
pub(super) struct Columns<R> {
    start: *const R,
    /// Where they are not packed: how much further each column and each term is.
    spread: Option<[isize; 2]>,
    along: [isize; MOST_COLUMNS],
    len: usize,
    /// Whether they lie side by side in the result.
    unit: bool,
}

impl<T: GemmElement> Store<'_, T> {
    /// Looks up where a panel of columns is, from `start` on, and where it goes.
    pub(super) fn columns(&self, group: usize, start: *const T::Real, spread: Option<[isize; 2]>) -> Columns<T::Real> {
        let (at, lanes) = (&self.columns.groups[group], self.columns.lanes(group));
        let along = std::array::from_fn(|n| at.at[RESULT] + lanes.at[RESULT][n]);
        Columns { start, spread, along, len: at.len as usize, unit: lanes.are_unit(RESULT) }
    }

    /// Computes the tile of the groups of rows from `first` on; it is the block's tile of that number.
    ///
    /// # Safety
    /// The panels hold as many terms as they should. All elements of the tile lie inside the result, apart from each other,
    /// and nobody else touches them.
    #[inline(always)]
    pub(super) unsafe fn tile(&self, first: usize, columns: &Columns<T::Real>, number: usize) {
        let groups = self.kernel.panel.min(self.rows.groups.len() - first);
        let mut to = [std::ptr::null_mut(); MOST_GROUPS];
        let mut whole = true;
        let base = self.out.base().wrapping_offset(self.start);
        for (n, to) in to.iter_mut().enumerate().take(groups) {
            let group = &self.rows.groups[first + n];
            whole &= group.len as usize == self.kernel.lanes && self.rows.lanes(first + n).are_unit(RESULT);
            *to = base.wrapping_offset(group.at[RESULT]);
        }
        let (rows, step) = if first < self.in_place.0 {
            (self.own.wrapping_offset(self.rows.groups[first].at[OWN]).cast(), self.in_place.1)
        } else {
            let numbers = self.kernel.lanes * self.kernel.parts();
            (self.packed.wrapping_add(first * numbers * self.terms), (self.kernel.panel * numbers) as isize)
        };
        let (terms, alpha, add) = (self.terms, self.alpha, self.add);
        let ahead = match self.ahead.tile(number) {
            Some((first, further)) => {
                debug_assert_eq!(further.len(), terms, "one line for each term");
                (self.ahead_from.wrapping_offset(first), further.as_ptr())
            }
            // The line that is being read.
            None => (rows.cast(), NOWHERE[..terms].as_ptr()),
        };
        let Columns { start, spread, along, .. } = *columns;
        let tile = Tile {
            terms,
            rows,
            step,
            near: AHEAD * step,
            columns: start,
            spread,
            groups,
            wanted: columns.len,
            alpha,
            add,
            stream: false,
            ahead,
            to,
            along,
        };
        // SAFETY: the caller's promise.
        unsafe {
            if whole {
                self.check(first, groups, columns);
                let size = self.kernel.lanes * size_of::<T>();
                let places = to[..groups]
                    .iter()
                    .flat_map(|to| along[..columns.len].iter().map(|along| to.wrapping_offset(*along) as usize));
                let stream = self.stream && places.fold(0, |all, place| all | place).is_multiple_of(size);
                (self.kernel.tile)(&Tile { stream, ..tile });
            } else {
                self.spread(tile, first, columns);
            }
        }
    }

    /// Computes a tile apart, and writes those of its elements that there are.
    ///
    /// # Safety
    /// As [`tile`](Store::tile).
    unsafe fn spread(&self, tile: Tile<T>, first: usize, columns: &Columns<T::Real>) {
        let (width, height) = (self.kernel.lanes, self.kernel.mr());
        let mut apart = [const { MaybeUninit::<T>::uninit() }; MOST_TILE];
        let start = apart.as_mut_ptr().cast::<T>();
        let to = std::array::from_fn(|n| start.wrapping_add(n * width));
        let along = std::array::from_fn(|n| (n * height) as isize);
        let groups = tile.groups;
        // SAFETY: the array has room for the largest tile; see the assertions beside the kernels.
        unsafe { (self.kernel.tile)(&Tile { add: false, to, along, ..tile }) };
        for g in 0..groups {
            let (group, lanes) = (&self.rows.groups[first + g], self.rows.lanes(first + g));
            let scatter = Scatter {
                from: start.wrapping_add(g * width),
                apart: height,
                len: group.len as usize,
                columns: columns.len,
                to: self.out.base().wrapping_offset(self.start + group.at[RESULT]),
                rows: &lanes.at[RESULT],
                along: &columns.along,
                run: lanes.run[RESULT],
                unit: columns.unit,
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
    pub(super) unsafe fn apply_epilogue(&self, columns: &Columns<T::Real>) {
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
                for lane in (0..len).step_by(lanes.run[RESULT]) {
                    let at = self.start + group.at[RESULT] + lanes.at[RESULT][lane] + along;
                    let count = lanes.run[RESULT].min(len - lane) as isize;
                    if at != run.end {
                        apply(&run);
                        run = at..at;
                    }
                    run.end += count;
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
            for row in &scatter.rows[..scatter.len] {
                for along in &scatter.along[..scatter.columns] {
                    // SAFETY: the address is not used; the assertion in `address` is all that is wanted.
                    unsafe { self.out.address(first + row + along) };
                }
            }
        }
    }

    /// In debug builds, asserts that a whole tile lies inside the result.
    fn check(&self, first: usize, groups: usize, columns: &Columns<T::Real>) {
        if cfg!(debug_assertions) {
            for group in &self.rows.groups[first..first + groups] {
                for along in &columns.along[..columns.len] {
                    let at = self.start + group.at[RESULT] + along;
                    // SAFETY: the addresses are not used; the assertion in `address` is all that is wanted.
                    unsafe { (self.out.address(at), self.out.address(at + self.kernel.lanes as isize - 1)) };
                }
            }
        }
    }
}
