//! Numbers in the registers of x86-64.

use std::arch::x86_64::*;

use super::{ENTRIES, Lanes};

macro_rules! lanes {
    (
        $(#[$doc:meta])* $V:ident, $R:ident, $count:literal;
        $splat:ident $load:ident $store:ident $add:ident $sub:ident $mul:ident $div:ident $mul_add:ident $sub_from:ident $min:ident $max:ident;
        digits $digits:ident $number:ident $bits_and:ident $bits_and_not:ident $bits_or:ident;
        $Table:ty, |$from:ident| $table:expr; $Place:ty, |$z:ident| $quarter:expr; |$registers:ident, $place:ident| $look_up:expr
    ) => {
        $(#[$doc])*
        impl Lanes for $V {
            type Real = $R;
            const COUNT: usize = $count;
            type Table = $Table;
            type Place = $Place;

            #[inline(always)]
            unsafe fn splat(x: $R) -> $V {
                // SAFETY: see `Lanes`.
                unsafe { $splat(x) }
            }
            #[inline(always)]
            unsafe fn load(from: *const $R) -> $V {
                // SAFETY: see `Lanes`.
                unsafe { $load(from) }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $R) {
                // SAFETY: see `Lanes`.
                unsafe { $store(to, self) }
            }
            #[inline(always)]
            unsafe fn add(self, other: $V) -> $V {
                // SAFETY: see `Lanes`.
                unsafe { $add(self, other) }
            }
            #[inline(always)]
            unsafe fn sub(self, other: $V) -> $V {
                // SAFETY: see `Lanes`.
                unsafe { $sub(self, other) }
            }
            #[inline(always)]
            unsafe fn mul(self, other: $V) -> $V {
                // SAFETY: see `Lanes`.
                unsafe { $mul(self, other) }
            }
            #[inline(always)]
            unsafe fn div(self, other: $V) -> $V {
                // SAFETY: see `Lanes`.
                unsafe { $div(self, other) }
            }
            #[inline(always)]
            unsafe fn mul_add(self, a: $V, b: $V) -> $V {
                // SAFETY: see `Lanes`.
                unsafe { $mul_add(self, a, b) }
            }
            #[inline(always)]
            unsafe fn sub_from(self, a: $V, b: $V) -> $V {
                // SAFETY: see `Lanes`.
                unsafe { $sub_from(self, a, b) }
            }
            #[inline(always)]
            unsafe fn min(self, other: $V) -> $V {
                // SAFETY: see `Lanes`.
                unsafe { $min(self, other) }
            }
            #[inline(always)]
            unsafe fn max(self, other: $V) -> $V {
                // SAFETY: see `Lanes`.
                unsafe { $max(self, other) }
            }
            #[inline(always)]
            unsafe fn and(self, other: $V) -> $V {
                // SAFETY: see `Lanes`.
                unsafe { $number($bits_and($digits(self), $digits(other))) }
            }
            #[inline(always)]
            unsafe fn and_not(self, other: $V) -> $V {
                // SAFETY: see `Lanes`.
                unsafe { $number($bits_and_not($digits(other), $digits(self))) }
            }
            #[inline(always)]
            unsafe fn or(self, other: $V) -> $V {
                // SAFETY: see `Lanes`.
                unsafe { $number($bits_or($digits(self), $digits(other))) }
            }
            #[inline(always)]
            unsafe fn table(numbers: &[$R; ENTRIES]) -> $Table {
                let $from = numbers.as_ptr();
                // SAFETY: see `Lanes`; a table has 16 numbers.
                unsafe { $table }
            }
            #[inline(always)]
            unsafe fn quarter(self) -> $Place {
                // SAFETY: see `Lanes`.
                unsafe {
                    let $z = self;
                    $quarter
                }
            }
            #[inline(always)]
            unsafe fn look_up($registers: $Table, $place: $Place) -> $V {
                // SAFETY: see `Lanes`.
                unsafe { $look_up }
            }
        }
    };
}
lanes!(
    /// A table fills two registers, which one instruction looks into; it takes the last four digits of a place.
    __m512d, f64, 8;
    _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_add_pd _mm512_sub_pd _mm512_mul_pd _mm512_div_pd _mm512_fmadd_pd
    _mm512_fnmadd_pd _mm512_min_pd _mm512_max_pd;
    digits _mm512_castpd_si512 _mm512_castsi512_pd _mm512_and_si512 _mm512_andnot_si512 _mm512_or_si512;
    [__m512d; 2], |from| [_mm512_loadu_pd(from), _mm512_loadu_pd(from.add(8))];
    __m512i, |x| _mm512_srli_epi64::<50>(_mm512_castpd_si512(x));
    |table, place| _mm512_permutex2var_pd(table[0], place, table[1])
);
lanes!(
    /// A table is one register.
    __m512, f32, 16;
    _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_add_ps _mm512_sub_ps _mm512_mul_ps _mm512_div_ps _mm512_fmadd_ps
    _mm512_fnmadd_ps _mm512_min_ps _mm512_max_ps;
    digits _mm512_castps_si512 _mm512_castsi512_ps _mm512_and_si512 _mm512_andnot_si512 _mm512_or_si512;
    __m512, |from| _mm512_loadu_ps(from);
    __m512i, |x| _mm512_srli_epi32::<21>(_mm512_castps_si512(x));
    |table, place| _mm512_permutexvar_ps(place, table)
);
lanes!(
    /// Four registers are looked into as numbers of 32 bits, two to a lane; the digits of a place that choose a register are signs.
    __m256d, f64, 4;
    _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_div_pd _mm256_fmadd_pd
    _mm256_fnmadd_pd _mm256_min_pd _mm256_max_pd;
    digits _mm256_castpd_si256 _mm256_castsi256_pd _mm256_and_si256 _mm256_andnot_si256 _mm256_or_si256;
    [__m256; 4], |from| {
        let from = from.cast::<f32>();
        [_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(8)), _mm256_loadu_ps(from.add(16)), _mm256_loadu_ps(from.add(24))]
    };
    (__m256i, [__m256d; 2]), |x| {
        let digits = _mm256_castpd_si256(x);
        let first = _mm256_slli_epi64::<1>(_mm256_srli_epi64::<50>(digits));
        let both = _mm256_or_si256(_mm256_shuffle_epi32::<0b1010_0000>(first), _mm256_set1_epi64x(1 << 32));
        (both, [_mm256_castsi256_pd(_mm256_slli_epi64::<11>(digits)), _mm256_castsi256_pd(_mm256_slli_epi64::<10>(digits))])
    };
    |table, place| {
        let ([a, b, c, d], (place, [odd, high])) = (table, place);
        let (a, b) = (_mm256_permutevar8x32_ps(a, place), _mm256_permutevar8x32_ps(b, place));
        let (c, d) = (_mm256_permutevar8x32_ps(c, place), _mm256_permutevar8x32_ps(d, place));
        let low = _mm256_blendv_pd(_mm256_castps_pd(a), _mm256_castps_pd(b), odd);
        _mm256_blendv_pd(low, _mm256_blendv_pd(_mm256_castps_pd(c), _mm256_castps_pd(d), odd), high)
    }
);
lanes!(
    /// The digit of a place that chooses one of two registers is a sign.
    __m256, f32, 8;
    _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_div_ps _mm256_fmadd_ps
    _mm256_fnmadd_ps _mm256_min_ps _mm256_max_ps;
    digits _mm256_castps_si256 _mm256_castsi256_ps _mm256_and_si256 _mm256_andnot_si256 _mm256_or_si256;
    [__m256; 2], |from| [_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(8))];
    (__m256i, __m256), |x| {
        let digits = _mm256_castps_si256(x);
        (_mm256_srli_epi32::<21>(digits), _mm256_castsi256_ps(_mm256_slli_epi32::<7>(digits)))
    };
    |table, place| {
        let ([low, high], (place, is_high)) = (table, place);
        _mm256_blendv_ps(_mm256_permutevar8x32_ps(low, place), _mm256_permutevar8x32_ps(high, place), is_high)
    }
);
