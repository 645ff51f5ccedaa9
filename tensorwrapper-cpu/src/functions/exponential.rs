//! exp and ln, for both types of real numbers.

use super::kernel::{BLOCK, Lines, polynomial};

macro_rules! functions {
    (
        $(#[$doc:meta])* $name:ident: $R:ident, $Bits:ty;
        digits $digits:literal, bias $bias:literal, rounding $rounding:literal, lift $lift:literal by $by:literal;
        near $near:literal, range $least:literal to $most:literal;
        ln2 $ln2:literal + $ln2_rest:literal, root $root:literal;
        exp $exp:tt; ln $ln:tt
    ) => {
        $(#[$doc])*
        pub(super) mod $name {
            use super::{BLOCK, Lines, polynomial};
            use std::$R::consts::LOG2_E;

            /// A number so large that the last digit of a sum with it is that of whole numbers.
            pub(in crate::functions) const ROUNDING: $R = $rounding;
            /// ln 2 without its last digits, and the rest.
            pub(in crate::functions) const LN2: $R = $ln2;
            pub(in crate::functions) const LN2_REST: $R = $ln2_rest;
            const BIAS: $Bits = ($bias as $Bits) << $digits;

            /// 2ⁿ for n + `ROUNDING`: the last digits, as an exponent.
            #[inline(always)]
            fn two_to(rounded: $R) -> $R {
                <$R>::from_bits((rounded + $bias as $R).to_bits() << $digits)
            }

            /// n, and `hi + lo`, of `e^(x - less) = 2ⁿ·(1 + hi + lo)`.
            #[inline(always)]
            pub(in crate::functions) fn reduced(x: $R, less: $R) -> ($R, $R, $R) {
                let n = x.mul_add(LOG2_E, ROUNDING) - ROUNDING;
                // Exact, as the factor has zeros for the digits of n.
                let hi = n.mul_add(-LN2, x);
                let lo = n.mul_add(LN2_REST, less);
                let r = hi - lo;
                (n, hi, (r * r).mul_add(polynomial!(r; $exp), -lo))
            }

            /// [`exp_near`] is meant for |x| below: its result is neither subnormal nor too large.
            pub(in crate::functions) const NEAR: $R = $near;

            #[inline(always)]
            pub(in crate::functions) fn exp_near(x: $R) -> $R {
                let (n, hi, lo) = reduced(x, 0.0);
                scaled(1.0 + (hi + lo), n)
            }

            /// `y·2ⁿ`, where 2ⁿ is neither subnormal nor too large.
            #[inline(always)]
            pub(in crate::functions) fn scaled(y: $R, n: $R) -> $R {
                y * two_to(n + ROUNDING)
            }

            #[inline(always)]
            pub(in crate::functions) fn exp(x: $R) -> $R {
                // What is not a number passes both.
                let x = if x > $most { $most } else { x };
                let x = if x < $least { $least } else { x };
                let (n, hi, lo) = reduced(x, 0.0);
                // In two steps, as 2ⁿ itself may not be a number of this type.
                let half = n.mul_add(0.5, ROUNDING);
                let rest = (n - (half - ROUNDING)) + ROUNDING;
                (1.0 + (hi + lo)) * two_to(half) * two_to(rest)
            }

            /// k and m of `x = 2ᵏ·m`, √½ ≤ m < √2, for a normal x.
            #[inline(always)]
            pub(in crate::functions) fn parts(x: $R) -> ($R, $R) {
                const ROOT: $Bits = $root;
                // A number with as many digits behind the point as there are is a whole number in its last digits.
                const WHOLE: $Bits = (($bias + $digits) as $Bits) << $digits;
                let bits = x.to_bits();
                let k = bits.wrapping_sub(ROOT).wrapping_add(BIAS) >> $digits;
                let m = <$R>::from_bits(bits.wrapping_sub((k << $digits).wrapping_sub(BIAS)));
                (<$R>::from_bits(k | WHOLE) - (((1 as $Bits) << $digits) as $R + $bias as $R), m)
            }

            /// k, f and s of `x = 2ᵏ·m`, `f = m - 1` and `s = f / (2 + f)`.
            #[inline(always)]
            fn quotient((k, m): ($R, $R)) -> ($R, $R, $R) {
                let f = m - 1.0;
                (k, f, f / (2.0 + f))
            }

            /// `k·ln 2 + ln m`, by the series of `ln((1 + s) / (1 - s))`.
            #[inline(always)]
            fn sum((k, f, s): ($R, $R, $R)) -> $R {
                let z = s * s;
                let r = z * polynomial!(z; $ln);
                let half = 0.5 * f * f;
                k.mul_add(LN2, f - (half - s.mul_add(half + r, k * LN2_REST)))
            }

            /// ln of normal numbers, in two loops, each short enough that a processor looks ahead to several vectors.
            #[inline(always)]
            pub(in crate::functions) fn ln_normal(x: &[$R; BLOCK], out: &mut [$R; BLOCK]) {
                let [mut k, mut f, mut s] = [Lines([0.0; BLOCK]); 3];
                let (Lines(k), Lines(f), Lines(s)) = (&mut k, &mut f, &mut s);
                for n in 0..BLOCK {
                    (k[n], f[n], s[n]) = quotient(parts(x[n]));
                }
                for n in 0..BLOCK {
                    out[n] = sum((k[n], f[n], s[n]));
                }
            }

            #[inline(always)]
            pub(in crate::functions) fn ln(x: $R) -> $R {
                let is_small = x < <$R>::MIN_POSITIVE;
                let (k, m) = parts(if is_small { x * $lift } else { x });
                let y = sum(quotient((if is_small { k - $by } else { k }, m)));
                let y = if x == 0.0 { <$R>::NEG_INFINITY } else { y };
                let y = if x < 0.0 || x.is_nan() { <$R>::NAN } else { y };
                if x == <$R>::INFINITY { x } else { y }
            }
        }
    };
}

functions! {
    /// Of `f64`.
    double: f64, u64;
    digits 52, bias 1023, rounding 6_755_399_441_055_744.0, lift 18_014_398_509_481_984.0 by 54.0;
    near 708.0, range -746.0 to 710.0;
    ln2 0.693_147_180_559_890_3 + 5.497_923_018_708_371e-14, root 0x3fe6_a09e_667f_3bcd;
    exp [
        0.5, 0.166_666_666_666_666_7, 0.041_666_666_666_666_67, 0.008_333_333_333_326_084, 0.001_388_888_888_888_371_1,
        0.000_198_412_698_750_022_8, 2.480_158_732_567_746e-5, 2.755_725_517_000_089e-6, 2.755_727_347_871_858e-7,
        2.510_531_262_972_210_3e-8, 2.091_475_532_589_32e-9
    ];
    ln [
        0.666_666_666_666_666_6, 0.400_000_000_000_008_85, 0.285_714_285_707_997_84, 0.222_222_223_925_810_45,
        0.181_817_955_475_211_37, 0.153_862_447_376_216_65, 0.132_686_383_692_668_25, 0.130_880_348_509_275_55
    ]
}
functions! {
    /// Of `f32`.
    single: f32, u32;
    digits 23, bias 127, rounding 12_582_912.0, lift 16_777_216.0 by 24.0;
    near 87.0, range -104.0 to 89.0;
    ln2 0.693_145_75 + 1.428_606_8e-6, root 0x3f35_04f3;
    exp [0.5, 0.166_666_67, 0.041_666_463, 0.008_333_311, 0.001_393_373_1, 0.000_198_910_8];
    ln [0.666_666_7, 0.400_001_23, 0.285_507_8, 0.233_316_15]
}
