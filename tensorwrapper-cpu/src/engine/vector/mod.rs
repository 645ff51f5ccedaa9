//! Vectors of real numbers, one type for each width of registers: what the kernels are written in.
//!
//! Every operation is inlined into a kernel that was compiled for the instructions; knows nothing of matrices.

#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;
#[cfg(target_arch = "x86_64")]
mod parts_x86;
pub(crate) mod portable;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

use num_complex::Complex;

use tensorwrapper_core::element::Element;

/// A vector of real numbers in registers.
///
/// # Safety
/// All functions: the processor has the instructions that the type stands for, and what pointers reach is valid: `LANES`
/// elements, without any alignment beyond the element's.
pub(crate) trait Vector: Copy {
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

    /// Reads as many complex numbers as there are lanes: their real parts and their imaginary ones.
    #[inline(always)]
    unsafe fn load_parts(from: *const Complex<Self::Real>) -> (Self, Self) {
        let (mut re, mut im) = ([Self::Real::ZERO; MOST_LANES], [Self::Real::ZERO; MOST_LANES]);
        for (n, (re, im)) in re.iter_mut().zip(&mut im).enumerate().take(Self::LANES) {
            // SAFETY: the caller's promise.
            Complex { re: *re, im: *im } = unsafe { from.add(n).read() };
        }
        // SAFETY: the arrays have room for the widest vector.
        unsafe { (Self::load(re.as_ptr()), Self::load(im.as_ptr())) }
    }

    /// Writes as many complex numbers as there are lanes, from their real parts and their imaginary ones.
    #[inline(always)]
    unsafe fn store_parts(re: Self, im: Self, to: *mut Complex<Self::Real>) {
        let mut parts = [[Self::Real::ZERO; MOST_LANES]; 2];
        // SAFETY: the arrays have room for the widest vector; for the rest the caller's promise.
        unsafe {
            re.store(parts[0].as_mut_ptr());
            im.store(parts[1].as_mut_ptr());
            for (n, (&re, &im)) in parts[0].iter().zip(&parts[1]).enumerate().take(Self::LANES) {
                to.add(n).write(Complex { re, im });
            }
        }
    }

    /// As [`transpose`](Vector::transpose), of [`PARTS_SQUARE`] complex numbers in a row: real parts go to `at[0]` of each
    /// column's place, imaginary ones, times `sign`, to `at[1]`.
    #[inline(always)]
    unsafe fn transpose_parts(
        from: *const Complex<Self::Real>,
        rows: &[isize],
        to: &[*mut Self::Real; MOST_SQUARE],
        at: [usize; 2],
        sign: Self::Real,
    ) {
        for (n, to) in to.iter().enumerate().take(PARTS_SQUARE) {
            for (row, &offset) in rows.iter().enumerate().take(PARTS_SQUARE) {
                // SAFETY: the caller's promise.
                unsafe {
                    let x = from.offset(offset + n as isize).read();
                    to.add(at[0] + row).write(x.re);
                    to.add(at[1] + row).write(x.im * sign);
                }
            }
        }
    }

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

/// Gives a macro both types of reals, each with its vector for every set of instructions, their names and the processor that has them.
macro_rules! for_vectors {
    ($given:ident) => {
        $given! {
            f64,
            Avx512: $crate::engine::vector::x86::F64x8, "avx512f,avx2,fma", "x86_64";
            Avx2: $crate::engine::vector::x86::F64x4, "avx2,fma", "x86_64";
            Neon: $crate::engine::vector::neon::F64x4, "neon", "aarch64";
        }
        $given! {
            f32,
            Avx512: $crate::engine::vector::x86::F32x16, "avx512f,avx2,fma", "x86_64";
            Avx2: $crate::engine::vector::x86::F32x8, "avx2,fma", "x86_64";
            Neon: $crate::engine::vector::neon::F32x8, "neon", "aarch64";
        }
    };
}
pub(crate) use for_vectors;

/// The widest square.
pub(crate) const MOST_SQUARE: usize = 8;
/// Edge of the squares of complex numbers.
pub(super) const PARTS_SQUARE: usize = 4;
/// The widest vector.
const MOST_LANES: usize = 16;
