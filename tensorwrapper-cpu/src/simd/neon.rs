//! The 128-bit registers of 64-bit ARM, alone and in pairs.
//!
//! It has passed the tests in an emulator of such machines, and was never timed on one.

use std::arch::aarch64::*;

use super::vector::{Vector, one_register, order_in_memory};
use tensorwrapper_core::element::Element;

/// A vector in one register.
macro_rules! single {
    (
        $(#[$doc:meta])* $Name:ident, $T:ty, $V:ty, $lanes:literal, $signs:expr;
        $dup:ident $load:ident $store:ident $mul:ident $add:ident $fma:ident $fms:ident $first:ident $second:ident $swap:expr
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $Name($V);

        impl Vector for $Name {
            type Real = $T;
            type Half = $Name;
            const LANES: usize = $lanes;
            const ROWS: usize = 8;

            order_in_memory!();

            one_register!($T; $dup $load $store $mul $add);

            #[inline(always)]
            unsafe fn add_product(self, a: Self, b: Self) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name($fma(self.0, a.0, b.0)) }
            }
            #[inline(always)]
            unsafe fn sub_product(self, a: Self, b: Self) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name($fms(self.0, a.0, b.0)) }
            }
            #[inline(always)]
            unsafe fn add_times_i(self, other: Self) -> Self {
                const SIGNS: [$T; $lanes] = $signs;
                // SAFETY: see `Vector`; there are as many signs as lanes.
                unsafe { $Name($fma(self.0, $swap(other.0), $load(SIGNS.as_ptr()))) }
            }
            #[inline(always)]
            unsafe fn real_parts(self) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name($first(self.0, self.0)) }
            }
            #[inline(always)]
            unsafe fn imaginary_parts(self) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name($second(self.0, self.0)) }
            }
        }
    };
}
single!(
    /// Two double-precision numbers.
    F64x2, f64, float64x2_t, 2, [-1.0, 1.0];
    vdupq_n_f64 vld1q_f64 vst1q_f64 vmulq_f64 vaddq_f64 vfmaq_f64 vfmsq_f64 vtrn1q_f64 vtrn2q_f64 |x| vextq_f64::<1>(x, x)
);
single!(
    /// Four single-precision numbers.
    F32x4, f32, float32x4_t, 4, [-1.0, 1.0, -1.0, 1.0];
    vdupq_n_f32 vld1q_f32 vst1q_f32 vmulq_f32 vaddq_f32 vfmaq_f32 vfmsq_f32 vtrn1q_f32 vtrn2q_f32 |x| vrev64q_f32(x)
);

/// A vector in two registers.
macro_rules! pair {
    ($(#[$doc:meta])* $Name:ident, $Half:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $Name($Half, $Half);

        impl Vector for $Name {
            type Real = <$Half as Vector>::Real;
            type Half = $Half;
            const LANES: usize = 2 * $Half::LANES;
            const ROWS: usize = 4;

            order_in_memory!();

            #[inline(always)]
            unsafe fn splat(x: Self::Real) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name($Half::splat(x), $Half::splat(x)) }
            }
            #[inline(always)]
            unsafe fn load(from: *const Self::Real) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name($Half::load(from), $Half::load(from.add($Half::LANES))) }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut Self::Real) {
                // SAFETY: see `Vector`.
                unsafe {
                    self.0.store(to);
                    self.1.store(to.add($Half::LANES));
                }
            }
            #[inline(always)]
            unsafe fn mul(self, other: Self) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name(self.0.mul(other.0), self.1.mul(other.1)) }
            }
            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name(self.0.add(other.0), self.1.add(other.1)) }
            }
            #[inline(always)]
            unsafe fn add_product(self, a: Self, b: Self) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name(self.0.add_product(a.0, b.0), self.1.add_product(a.1, b.1)) }
            }
            #[inline(always)]
            unsafe fn sub_product(self, a: Self, b: Self) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name(self.0.sub_product(a.0, b.0), self.1.sub_product(a.1, b.1)) }
            }
            #[inline(always)]
            unsafe fn add_times_i(self, other: Self) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name(self.0.add_times_i(other.0), self.1.add_times_i(other.1)) }
            }
            #[inline(always)]
            unsafe fn real_parts(self) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name(self.0.real_parts(), self.1.real_parts()) }
            }
            #[inline(always)]
            unsafe fn imaginary_parts(self) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name(self.0.imaginary_parts(), self.1.imaginary_parts()) }
            }
        }
    };
}
pair!(
    /// Four double-precision numbers.
    F64x4, F64x2
);
pair!(
    /// Eight single-precision numbers.
    F32x8, F32x4
);
