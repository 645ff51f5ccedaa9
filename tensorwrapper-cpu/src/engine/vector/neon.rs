//! Pairs of the 128-bit registers of 64-bit ARM.
//!
//! It has been type-checked for such machines, but run on none yet.

use std::arch::aarch64::*;

use super::Vector;

macro_rules! pairs {
    ($Name:ident, $T:ty, $V:ty, $half:literal; $dup:ident $load:ident $store:ident $mul:ident $add:ident $fma:ident $fms:ident) => {
        /// Two registers.
        #[derive(Clone, Copy)]
        pub(crate) struct $Name($V, $V);

        impl Vector for $Name {
            type Real = $T;
            const LANES: usize = 2 * $half;

            #[inline(always)]
            unsafe fn splat(x: $T) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name($dup(x), $dup(x)) }
            }
            #[inline(always)]
            unsafe fn load(from: *const $T) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name($load(from), $load(from.add($half))) }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $T) {
                // SAFETY: see `Vector`.
                unsafe {
                    $store(to, self.0);
                    $store(to.add($half), self.1);
                }
            }
            #[inline(always)]
            unsafe fn mul(self, other: Self) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name($mul(self.0, other.0), $mul(self.1, other.1)) }
            }
            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name($add(self.0, other.0), $add(self.1, other.1)) }
            }
            #[inline(always)]
            unsafe fn add_product(self, a: Self, b: Self) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name($fma(self.0, a.0, b.0), $fma(self.1, a.1, b.1)) }
            }
            #[inline(always)]
            unsafe fn sub_product(self, a: Self, b: Self) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name($fms(self.0, a.0, b.0), $fms(self.1, a.1, b.1)) }
            }
        }
    };
}
pairs!(F64x4, f64, float64x2_t, 2; vdupq_n_f64 vld1q_f64 vst1q_f64 vmulq_f64 vaddq_f64 vfmaq_f64 vfmsq_f64);
pairs!(F32x8, f32, float32x4_t, 4; vdupq_n_f32 vld1q_f32 vst1q_f32 vmulq_f32 vaddq_f32 vfmaq_f32 vfmsq_f32);
