//! Vectors of three widths for each type of reals, in the registers of x86-64.

use std::arch::x86_64::*;

use tensorwrapper_core::element::Element;

/// A vector of reals.
///
/// # Safety
/// All functions: the processor has the instructions that the type stands for, and what pointers reach is valid: `LANES`
/// elements, without any alignment beyond the element's.
pub trait Lanes: Copy {
    /// The elements.
    type Real: Element;
    /// The vector of half as many; that of the narrowest is itself.
    type Half: Lanes<Real = Self::Real>;
    /// How many there are.
    const LANES: usize;
    /// Rows of sums that registers hold beside the rest, three vectors each.
    const ROWS: usize;

    unsafe fn zero() -> Self;
    unsafe fn splat(x: Self::Real) -> Self;
    unsafe fn load(from: *const Self::Real) -> Self;
    unsafe fn store(self, to: *mut Self::Real);
    /// `self + a · b`, rounded once.
    unsafe fn add_product(self, a: Self, b: Self) -> Self;
    unsafe fn mul(self, other: Self) -> Self;
    /// `self + i · other`, of pairs that are complex numbers.
    unsafe fn add_turned(self, other: Self) -> Self;
}

macro_rules! lanes {
    (
        $(#[$doc:meta])* $Name:ident, $Half:ident, $T:ty, $V:ty, $lanes:literal, $rows:literal;
        $zero:ident $set:ident $load:ident $store:ident $mul:ident $fma:ident; |$x:ident, $y:ident| $turned:expr
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $Name($V);

        impl Lanes for $Name {
            type Real = $T;
            type Half = $Half;
            const LANES: usize = $lanes;
            const ROWS: usize = $rows;

            #[inline(always)]
            unsafe fn zero() -> Self {
                // SAFETY: see `Lanes`.
                unsafe { $Name($zero()) }
            }
            #[inline(always)]
            unsafe fn splat(x: $T) -> Self {
                // SAFETY: see `Lanes`.
                unsafe { $Name($set(x)) }
            }
            #[inline(always)]
            unsafe fn load(from: *const $T) -> Self {
                // SAFETY: see `Lanes`.
                unsafe { $Name($load(from)) }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $T) {
                // SAFETY: see `Lanes`.
                unsafe { $store(to, self.0) }
            }
            #[inline(always)]
            unsafe fn add_product(self, a: Self, b: Self) -> Self {
                // SAFETY: see `Lanes`.
                unsafe { $Name($fma(a.0, b.0, self.0)) }
            }
            #[inline(always)]
            unsafe fn mul(self, other: Self) -> Self {
                // SAFETY: see `Lanes`.
                unsafe { $Name($mul(self.0, other.0)) }
            }
            #[inline(always)]
            unsafe fn add_turned(self, other: Self) -> Self {
                let ($x, $y) = (self.0, other.0);
                // SAFETY: see `Lanes`.
                unsafe { $Name($turned) }
            }
        }
    };
}
lanes!(
    /// Eight double-precision numbers.
    F64x8, F64x4, f64, __m512d, 8, 8;
    _mm512_setzero_pd _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_mul_pd _mm512_fmadd_pd;
    |x, y| _mm512_fmaddsub_pd(x, _mm512_set1_pd(1.0), _mm512_permute_pd::<0x55>(y))
);
lanes!(
    /// Four double-precision numbers.
    F64x4, F64x2, f64, __m256d, 4, 4;
    _mm256_setzero_pd _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_mul_pd _mm256_fmadd_pd;
    |x, y| _mm256_addsub_pd(x, _mm256_permute_pd::<0b0101>(y))
);
lanes!(
    /// Two double-precision numbers.
    F64x2, F64x2, f64, __m128d, 2, 4;
    _mm_setzero_pd _mm_set1_pd _mm_loadu_pd _mm_storeu_pd _mm_mul_pd _mm_fmadd_pd;
    |x, y| _mm_addsub_pd(x, _mm_permute_pd::<0b01>(y))
);
lanes!(
    /// Sixteen single-precision numbers.
    F32x16, F32x8, f32, __m512, 16, 8;
    _mm512_setzero_ps _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_mul_ps _mm512_fmadd_ps;
    |x, y| _mm512_fmaddsub_ps(x, _mm512_set1_ps(1.0), _mm512_permute_ps::<0xb1>(y))
);
lanes!(
    /// Eight single-precision numbers.
    F32x8, F32x4, f32, __m256, 8, 4;
    _mm256_setzero_ps _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_mul_ps _mm256_fmadd_ps;
    |x, y| _mm256_addsub_ps(x, _mm256_permute_ps::<0xb1>(y))
);
lanes!(
    /// Four single-precision numbers.
    F32x4, F32x4, f32, __m128, 4, 4;
    _mm_setzero_ps _mm_set1_ps _mm_loadu_ps _mm_storeu_ps _mm_mul_ps _mm_fmadd_ps;
    |x, y| _mm_addsub_ps(x, _mm_permute_ps::<0xb1>(y))
);
