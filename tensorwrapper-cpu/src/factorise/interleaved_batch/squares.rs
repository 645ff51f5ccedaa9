//! Items that lie evenly, in dense rows or columns of double-precision numbers: brought side by side and back by squares in registers,
//! where a number at a time took most of the time of a Cholesky factor.
//!
//! A kernel goes through all of a matrix, because what is done for a square is a few dozens of instructions.

use super::lanes::{LANES, Reals};
use crate::simd::{
    Simd,
    vector::{self, Vector},
};
use tensorwrapper_core::backend::linear::{Along, Space};

/// How eight items lie whose rows or columns fill squares, and where their elements stand side by side.
pub(super) struct Panel<'s> {
    start: isize,
    /// From an item to the next.
    item: isize,
    /// Whether the lines are rows.
    by_rows: bool,
    /// Where each line begins.
    lines: &'s Along,
    /// Elements of a line.
    length: usize,
    /// From the cell of an element to that of the next one of its line, and to that of the next line's.
    cells: (usize, usize),
}

/// The kernels of one set of instructions.
///
/// # Safety
/// The processor has the instructions. Eight items lie in the first memory as the panel says; the second has a cell for each element.
#[derive(Clone, Copy)]
pub(super) struct Kernels {
    /// Brings the items side by side; the last argument says that nobody reads what is above the diagonals.
    gather: unsafe fn(&Panel<'_>, *const f64, *mut f64, bool),
    /// Brings them back.
    scatter: unsafe fn(&Panel<'_>, *mut f64, *const f64),
}

macro_rules! kernels {
    (f64, $($Way:ident: $V:ty, $features:literal, $arch:literal;)*) => {
        /// The kernels for these instructions, where there are any.
        pub(super) fn kernels(simd: Simd) -> Option<Kernels> {
            match simd {
                $(
                    #[cfg(target_arch = $arch)]
                    Simd::$Way => {
                        #[target_feature(enable = $features)]
                        unsafe fn gather(panel: &Panel<'_>, from: *const f64, to: *mut f64, is_lower: bool) {
                            // SAFETY: the caller's promise.
                            unsafe { gather_by::<$V>(panel, from, to, is_lower) }
                        }
                        #[target_feature(enable = $features)]
                        unsafe fn scatter(panel: &Panel<'_>, to: *mut f64, from: *const f64) {
                            // SAFETY: the caller's promise.
                            unsafe { scatter_by::<$V>(panel, to, from) }
                        }
                        Some(Kernels { gather, scatter })
                    }
                    #[cfg(not(target_arch = $arch))]
                    Simd::$Way => None,
                )*
                Simd::Portable => None,
            }
        }
    };
    // Lanes are double precision: other elements are converted, one by one.
    (f32, $($rest:tt)*) => {};
}
crate::simd::for_vectors!(kernels);

impl<'s> Panel<'s> {
    /// Of the items from one that begins there on, if they lie so.
    pub(super) fn of(space: &'s Space, start: isize) -> Option<Panel<'s>> {
        let (item, (rows, columns)) = (space.item().filter(|&item| item >= 0)?, (space.rows.len(), space.columns.len()));
        let fills = |along: &Along| along.len().is_multiple_of(LANES) && along.is_dense();
        if fills(&space.columns) {
            return Some(Panel { start, item, by_rows: true, lines: &space.rows, length: columns, cells: (rows, 1) });
        }
        let lines = &space.columns;
        fills(&space.rows).then_some(Panel { start, item, by_rows: false, lines, length: rows, cells: (1, rows) })
    }

    /// Whether a square is all above the diagonal.
    #[inline(always)]
    fn is_above(&self, line: usize, first: usize, edge: usize) -> bool {
        if self.by_rows { first > line } else { first + edge <= line }
    }

    /// Brings eight items side by side, one matrix after the other of which in columns.
    ///
    /// # Safety
    /// All eight items lie in this memory.
    pub(super) unsafe fn gather(&self, kernels: Kernels, from: &[f64], to: &mut [Reals], is_lower: bool) {
        assert!(self.lines.len() * self.length <= to.len(), "a cell for each element");
        // SAFETY: kernels are those of instructions that are there; the caller's promise.
        unsafe { (kernels.gather)(self, from.as_ptr(), to.as_mut_ptr().cast(), is_lower) }
    }

    /// Brings eight items back.
    ///
    /// # Safety
    /// They lie in this memory, and nobody else touches it meanwhile.
    pub(super) unsafe fn scatter(&self, kernels: Kernels, to: *mut f64, from: &[Reals]) {
        assert!(self.lines.len() * self.length <= from.len(), "a cell for each element");
        // SAFETY: kernels are those of instructions that are there; the caller's promise.
        unsafe { (kernels.scatter)(self, to, from.as_ptr().cast()) }
    }
}

/// # Safety
/// See [`Kernels`].
#[inline(always)]
unsafe fn gather_by<V: Vector<Real = f64>>(panel: &Panel<'_>, from: *const f64, to: *mut f64, is_lower: bool) {
    let (along, across) = panel.cells;
    for line in 0..panel.lines.len() {
        for first in (0..panel.length).step_by(V::SQUARE) {
            if is_lower && panel.is_above(line, first, V::SQUARE) {
                continue;
            }
            let cell = |m: usize| (line * across + (first + m) * along) * LANES;
            let places: [*mut f64; vector::MOST_SQUARE] = std::array::from_fn(|m| to.wrapping_add(cell(m)));
            let from = from.wrapping_offset(panel.start + panel.lines.at(line)).wrapping_add(first);
            for lane in (0..LANES).step_by(V::SQUARE) {
                let items: [isize; vector::MOST_SQUARE] = std::array::from_fn(|m| (lane + m) as isize * panel.item);
                // SAFETY: the caller's promise: squares lie inside of the items and of the cells.
                unsafe { V::transpose(from, &items, &places, lane) };
            }
        }
    }
}

/// # Safety
/// See [`Kernels`].
#[inline(always)]
unsafe fn scatter_by<V: Vector<Real = f64>>(panel: &Panel<'_>, to: *mut f64, from: *const f64) {
    let (along, across) = panel.cells;
    for line in 0..panel.lines.len() {
        for first in (0..panel.length).step_by(V::SQUARE) {
            let cell = |m: usize| ((line * across + (first + m) * along) * LANES) as isize;
            let cells: [isize; vector::MOST_SQUARE] = std::array::from_fn(cell);
            let to = to.wrapping_offset(panel.start + panel.lines.at(line)).wrapping_add(first);
            for lane in (0..LANES).step_by(V::SQUARE) {
                let places: [*mut f64; vector::MOST_SQUARE] =
                    std::array::from_fn(|m| to.wrapping_offset((lane + m) as isize * panel.item));
                // SAFETY: as above.
                unsafe { V::transpose(from.wrapping_add(lane), &cells, &places, 0) };
            }
        }
    }
}
