//! Tiles of the result: computed where they belong, or apart and then spread over any strides.

use super::kernel::{Kernel, MOST_COLUMNS, MOST_GROUPS, MOST_TILE, Tile};
use super::space::{Groups, RESULT};
use crate::backend::cpu::sink::Sink;
use crate::element::Element;

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
}

/// A column panel's place in the result.
pub(super) struct Columns<R> {
    packed: *const R,
    along: [isize; MOST_COLUMNS],
    len: usize,
}

impl<T: Element> Store<'_, T> {
    /// Looks up where a panel of columns goes.
    pub(super) fn columns(&self, group: usize, packed: *const T::Real) -> Columns<T::Real> {
        let (at, lanes) = (&self.columns.groups[group], self.columns.lanes(group));
        let along = std::array::from_fn(|n| at.at[RESULT] + lanes.at[RESULT][n]);
        Columns { packed, along, len: at.len as usize }
    }

    /// Computes the tile of the groups of rows from `first` on, packed at `rows`.
    ///
    /// # Safety
    /// The panels hold as many terms as they should. All elements of the tile lie inside the result, apart from each other,
    /// and nobody else touches them.
    #[inline(always)]
    pub(super) unsafe fn tile(&self, first: usize, rows: *const T::Real, columns: &Columns<T::Real>) {
        let groups = self.kernel.panel.min(self.rows.groups.len() - first);
        let mut to = [std::ptr::null_mut(); MOST_GROUPS];
        let mut whole = columns.len == self.kernel.columns;
        let base = self.out.base().wrapping_offset(self.start);
        for (n, to) in to.iter_mut().enumerate().take(groups) {
            let group = &self.rows.groups[first + n];
            whole &= group.len as usize == self.kernel.width && self.rows.lanes(first + n).unit[RESULT];
            *to = base.wrapping_offset(group.at[RESULT]);
        }
        let (terms, alpha, add) = (self.terms, self.alpha, self.add);
        let tile = Tile { terms, rows, columns: columns.packed, groups, alpha, add, to, along: columns.along };
        // SAFETY: the caller's promise.
        unsafe {
            if whole {
                self.check(first, groups, columns);
                (self.kernel.tile)(&tile);
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
        let (width, height) = (self.kernel.width, self.kernel.width * self.kernel.panel);
        let mut apart = [T::ZERO; MOST_TILE];
        let start = apart.as_mut_ptr();
        let to = std::array::from_fn(|n| start.wrapping_add(n * width));
        let along = std::array::from_fn(|n| (n * height) as isize);
        let groups = tile.groups;
        // SAFETY: the array has room for the largest tile; see the assertions beside the kernels.
        unsafe { (self.kernel.tile)(&Tile { add: false, to, along, ..tile }) };
        for (n, along) in columns.along.iter().enumerate().take(columns.len) {
            for g in 0..groups {
                let (group, lanes) = (&self.rows.groups[first + g], self.rows.lanes(first + g));
                let values = &apart[n * height + g * width..][..group.len as usize];
                let at = self.start + group.at[RESULT] + along;
                for (&value, offset) in values.iter().zip(lanes.at[RESULT]) {
                    // SAFETY: the caller's promise.
                    unsafe {
                        let to = self.out.address(at + offset);
                        to.write(if self.add { to.read() + value } else { value });
                    }
                }
            }
        }
    }

    /// In debug builds, asserts that a whole tile lies inside the result.
    fn check(&self, first: usize, groups: usize, columns: &Columns<T::Real>) {
        if cfg!(debug_assertions) {
            for group in &self.rows.groups[first..first + groups] {
                for along in &columns.along[..self.kernel.columns] {
                    let at = self.start + group.at[RESULT] + along;
                    // SAFETY: the addresses are not used; the assertion in `address` is all that is wanted.
                    unsafe { (self.out.address(at), self.out.address(at + self.kernel.width as isize - 1)) };
                }
            }
        }
    }
}
