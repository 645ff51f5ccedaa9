//! Vectors of real numbers, one type for each width of registers: what the kernels are written in.
//!
//! Every operation is inlined into a kernel that was compiled for the instructions; knows nothing of matrices.

#[cfg(target_arch = "aarch64")]
pub(super) mod neon;
pub(super) mod portable;
#[cfg(target_arch = "x86_64")]
pub(super) mod x86;

use crate::element::Element;

/// A vector of real numbers in registers.
///
/// # Safety
/// All functions: the processor has the instructions that the type stands for, and what pointers reach is valid: `LANES`
/// elements, without any alignment beyond the element's.
pub(super) trait Vector: Copy {
    /// The elements.
    type Real: Element<Real = Self::Real>;
    /// How many of them.
    const LANES: usize;
    /// Edge of the squares that [`transpose`](Vector::transpose) turns; divides `LANES`.
    const SQUARE: usize = 4;

    unsafe fn splat(x: Self::Real) -> Self;
    unsafe fn load(from: *const Self::Real) -> Self;
    unsafe fn store(self, to: *mut Self::Real);
    unsafe fn mul(self, other: Self) -> Self;
    unsafe fn add(self, other: Self) -> Self;
    /// `self + a · b`, rounded once where the processor can.
    unsafe fn add_product(self, a: Self, b: Self) -> Self;
    /// `self - a · b`, rounded once where the processor can.
    unsafe fn sub_product(self, a: Self, b: Self) -> Self;
    /// Asks for the cache line of an address, which may be any.
    unsafe fn prefetch(_address: *const Self::Real) {}
    /// The same, into the second cache.
    unsafe fn prefetch_far(_address: *const Self::Real) {}

    /// Reads a square, row `n` from `from + rows[n]`, and writes its columns, column `n` to `to + n · step`.
    ///
    /// # Safety
    /// `SQUARE` rows of as many elements are valid to read, the columns to write.
    #[inline(always)]
    unsafe fn transpose(from: *const Self::Real, rows: &[isize], to: &[*mut Self::Real; MOST_SQUARE], at: usize) {
        for (n, to) in to.iter().enumerate().take(Self::SQUARE) {
            for (row, &offset) in rows.iter().enumerate().take(Self::SQUARE) {
                // SAFETY: the caller's promise.
                unsafe { to.add(at + row).write(from.offset(offset + n as isize).read()) };
            }
        }
    }
}

/// The widest square.
pub(super) const MOST_SQUARE: usize = 8;
