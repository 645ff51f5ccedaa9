//! A right operand brought into rows before it is multiplied.

use std::mem::MaybeUninit;

use super::Problem;
use super::problem::MOST_TRANSPOSED;
use crate::lines::{LINE, Line};
use tensorwrapper_core::element::Element;

/// Memory for a right operand in rows, each of which is read from a line on where it fills lines.
#[repr(C, align(64))]
pub(crate) struct RowMemory<T>([MaybeUninit<T>; MOST_TRANSPOSED]);

impl<T> RowMemory<T> {
    /// Memory of which nothing is written.
    pub(crate) const UNINIT: RowMemory<T> = RowMemory([const { MaybeUninit::uninit() }; MOST_TRANSPOSED]);

    /// Its first element.
    #[inline(always)]
    pub(crate) fn start(&mut self) -> *mut T {
        self.0.as_mut_ptr().cast()
    }
}

/// Brings a right operand into rows.
///
/// # Safety
/// The operand is that of the problem, and the rows have memory for all of it. The processor has the instructions of `L`.
#[inline(always)]
pub(super) unsafe fn in_rows<L: Line, T: Element>(p: &Problem, b: *const T, rows: *mut T) {
    let [_, far] = p.b_terms();
    debug_assert!(p.terms[0].extent * p.terms[1].extent * p.columns <= MOST_TRANSPOSED);
    for k1 in 0..p.terms[1].extent {
        // SAFETY: the caller's promise.
        unsafe {
            let (b, to) = (b.add(k1 * p.terms[1].b), rows.add(k1 * far));
            if const { size_of::<T>() == 4 } {
                bring::<L, T, 16>(p, b, to);
            } else if const { size_of::<T>() == 8 } {
                bring::<L, T, 8>(p, b, to);
            } else {
                bring::<L, T, 4>(p, b, to);
            }
        }
    }
}

/// Brings the terms of the inner loop into rows: in squares of `EDGE` elements, which make up a line, where columns lie in
/// lines and are long enough for one.
///
/// # Safety
/// As [`in_rows`].
#[inline(always)]
unsafe fn bring<L: Line, T: Element, const EDGE: usize>(p: &Problem, b: *const T, to: *mut T) {
    let (columns, terms) = (p.columns, p.terms[0]);
    // SAFETY: the caller's promise. Squares lie inside of both: the last ones begin further back, and overlap.
    unsafe {
        if terms.b != 1 || columns < EDGE || terms.extent < EDGE {
            for k in 0..terms.extent {
                for j in 0..columns {
                    *to.add(k * columns + j) = *b.add(k * terms.b + j * p.b_column);
                }
            }
            return;
        }
        debug_assert!(EDGE * size_of::<T>() == LINE);
        let mut k = 0;
        while k < terms.extent {
            let first = if k + EDGE <= terms.extent { k } else { terms.extent - EDGE };
            let mut j = 0;
            while j < columns {
                let left = if j + EDGE <= columns { j } else { columns - EDGE };
                let mut from = [b.cast::<u8>(); EDGE];
                for (n, from) in from.iter_mut().enumerate() {
                    *from = b.add(first + (left + n) * p.b_column).cast();
                }
                let square = L::transpose::<EDGE>(&from);
                for (n, line) in square.iter().enumerate() {
                    line.store(to.add((first + n) * columns + left).cast());
                }
                j += EDGE;
            }
            k += EDGE;
        }
    }
}
