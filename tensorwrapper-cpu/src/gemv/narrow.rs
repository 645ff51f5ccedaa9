//! Rows of a few vectors: what they are multiplied with, or added to, stays in registers.

#![allow(clippy::needless_range_loop, reason = "iterators over arrays are compiled without a kernel's instructions")]

use super::block::{LARGE, SUMS, VECTOR};
use super::kernel::Rows;
use crate::simd::vector::Vector;
use tensorwrapper_core::element::Element;

/// Vectors of a row at most.
const MOST: usize = 4;

/// Calls the method for rows of so many vectors.
macro_rules! by_width {
    ($rows:ident, $method:ident $arguments:tt, [$($wide:literal)*]) => {
        match $rows.len.div_ceil(V::LANES) {
            $($wide => $rows.$method::<$wide> $arguments,)*
            _ => unreachable!("rows are narrow"),
        }
    };
}

impl<V: Vector, const PARTS: usize> Rows<V, PARTS> {
    pub(super) fn is_narrow(&self) -> bool {
        (1..=MOST * V::LANES).contains(&self.len)
    }

    /// Adds the dot product of every narrow row with the same vector.
    ///
    /// # Safety
    /// All rows lie inside, and there is a sum for each.
    #[inline(always)]
    pub(super) unsafe fn dots_narrow(&self, rows: usize, large: *const V::Real, vector: *const V::Real, to: *mut V::Real) {
        // SAFETY: the caller's promise.
        unsafe { by_width!(self, dots_of(rows, large, vector, to), [1 2 3 4]) }
    }

    /// Adds every narrow row, times a number of the vector, to the same sums.
    ///
    /// # Safety
    /// All rows lie inside, and there is a sum for each element of a row.
    #[inline(always)]
    pub(super) unsafe fn add_narrow(&self, rows: usize, large: *const V::Real, vector: *const V::Real, to: *mut V::Real) {
        // SAFETY: the caller's promise.
        unsafe { by_width!(self, add_of(rows, large, vector, to), [1 2 3 4]) }
    }

    /// Adds the dot products of rows of `WIDE` vectors, the last of which may be a part of one, with a vector that stays in registers.
    #[inline(always)]
    unsafe fn dots_of<const WIDE: usize>(&self, rows: usize, large: *const V::Real, vector: *const V::Real, to: *mut V::Real) {
        let whole = WIDE - 1;
        let rest = self.len - whole * V::LANES;
        // SAFETY: the caller's promise: all rows lie inside; the rest of a vector is not read.
        unsafe {
            let zero = V::splat(V::Real::ZERO);
            let load = |from: *const V::Real, part: usize| match part < whole {
                true => V::load(from.add(part * V::LANES)),
                false => V::load_some(from.add(part * V::LANES), rest),
            };
            let mut x = [zero; WIDE];
            for part in 0..WIDE {
                x[part] = load(vector, part);
            }
            for row in 0..rows as isize {
                let a = large.offset(row * self.further[LARGE]);
                let mut sums = [zero; 2];
                for part in 0..WIDE {
                    sums = Self::multiply_add(sums, load(a, part), x[part]);
                }
                self.put(sums, to.offset(row * self.further[SUMS]));
            }
        }
    }

    /// Adds rows of `WIDE` vectors, the last of which may be a part of one, to sums that stay in registers: between memory and registers
    /// each row would wait for what the one before it has written.
    #[inline(always)]
    unsafe fn add_of<const WIDE: usize>(&self, rows: usize, large: *const V::Real, vector: *const V::Real, to: *mut V::Real) {
        let whole = WIDE - 1;
        let rest = self.len - whole * V::LANES;
        // SAFETY: the caller's promise: all rows lie inside; the rest of a vector is neither read nor written.
        unsafe {
            let zero = V::splat(V::Real::ZERO);
            let (mut sums, mut second) = ([zero; WIDE], [zero; WIDE]);
            for part in 0..whole {
                sums[part] = V::load(to.add(part * V::LANES));
            }
            sums[whole] = V::load_some(to.add(whole * V::LANES), rest);
            for row in 0..rows as isize {
                let a = large.offset(row * self.further[LARGE]);
                let x = vector.offset(row * self.further[VECTOR]);
                let re = V::splat(x.read());
                let im = if PARTS == 2 { V::splat(self.sign * x.add(1).read()) } else { zero };
                for part in 0..WIDE {
                    let at = a.add(part * V::LANES);
                    let a = if part < whole { V::load(at) } else { V::load_some(at, rest) };
                    sums[part] = sums[part].add_product(a, re);
                    if PARTS == 2 {
                        second[part] = second[part].add_product(a, im);
                    }
                }
            }
            for part in 0..WIDE {
                let sum = if PARTS == 2 { sums[part].add_times_i(second[part]) } else { sums[part] };
                match part < whole {
                    true => sum.store(to.add(part * V::LANES)),
                    false => sum.store_some(to.add(part * V::LANES), rest),
                }
            }
        }
    }
}
