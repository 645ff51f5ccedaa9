//! tanh of `f32`, by a polynomial for each of sixteen intervals.
//!
//! For c near |x| and y = |x| - c, `tanh |x| = tanh c + y·(q₀ + q₁y + … + q₅y⁵)`; in the first interval c = 0 and `tanh |x| = y + y·(…)`. An
//! interval is a quarter of a binade of 2 + scale·|x|.
//!
//! The numbers c lie near the middle of their intervals, where tanh is by chance a number of the type but for less than 0.0001 units in the
//! last place. Coefficients were fitted with 60 digits, for each interval by itself: least squares of the relative error of tanh |x|, with
//! weights that were changed until the largest errors were alike (Lawson's method). They were rounded one after the other from q₀ on,
//! those after it fitted again each time. The polynomials are off by 0.030 units in the last place.

use crate::functions::lanes::{ENTRIES, Formula, Lanes};

/// From here on the values are one.
pub(in crate::functions) const LIMIT: f32 = 9.25;
/// 2 + scale·limit is a little less than 32.
pub(in crate::functions) const SCALE: f32 = 3.242_187_5;
/// c
pub(in crate::functions) const CENTERS: [f32; ENTRIES] = [
    0.0,
    0.229_855_9,
    0.389_121_06,
    0.536_633_85,
    0.753_603_9,
    1.075_477_6,
    1.371_796,
    1.678_983_7,
    2.121_937_8,
    2.765_188_7,
    3.342_015_3,
    3.988_856_3,
    4.851_268,
    6.117_462,
    7.381_868,
    8.664_36,
];
/// tanh c
const VALUES: [f32; ENTRIES] = [
    0.0,
    0.225_891_6,
    0.370_602_25,
    0.490_435_7,
    0.637_294_05,
    0.791_516,
    0.879_100_86,
    0.932_729_54,
    0.971_702_4,
    0.992_102_3,
    0.997_501_7,
    0.999_314_2,
    0.999_877_75,
    0.999_990_3,
    0.999_999_2,
    0.999_999_94,
];
/// q₀ to q₅
const COEFFICIENTS: [[f32; ENTRIES]; 6] = [
    [
        0.0,
        0.948_973,
        0.862_654,
        0.759_472_85,
        0.593_856_33,
        0.373_502_4,
        0.227_181_67,
        0.130_015_6,
        0.055_794_433,
        0.015_732_985,
        0.004_990_417_5,
        0.001_371_152_9,
        0.000_244_492_78,
        1.943_214_2e-5,
        1.549_809_9e-6,
        1.192_047_5e-7,
    ],
    [
        -1.090_117_7e-7,
        -0.214_364_96,
        -0.319_701_52,
        -0.372_472_55,
        -0.378_461_03,
        -0.295_633_14,
        -0.199_715_66,
        -0.121_269_405,
        -0.054_215_714,
        -0.015_608_704,
        -0.004_977_912,
        -0.001_370_206_4,
        -0.000_244_402_5,
        -1.942_835_3e-5,
        -1.549_611_7e-6,
        -1.191_556_5e-7,
    ],
    [
        -0.333_323_27,
        -0.267_912_15,
        -0.169_068_37,
        -0.070_492_94,
        0.043_225_776,
        0.109_499_335,
        0.099_844_94,
        0.069_774_18,
        0.034_085_14,
        0.010_240_362,
        0.003_301_839,
        0.000_912_108_05,
        0.000_162_681_52,
        1.292_718_8e-5,
        1.030_789_6e-6,
        7.937_375_6e-8,
    ],
    [
        -0.000_302_365_8,
        0.131_930_46,
        0.169_235_96,
        0.158_717_22,
        0.098_587_57,
        0.011_876_785,
        -0.021_190_05,
        -0.024_652_755,
        -0.015_042_699,
        -0.004_958_115_5,
        -0.001_636_085,
        -0.000_455_059_75,
        -8.195_943e-5,
        -6.500_187_3e-6,
        -5.169_739e-7,
        -3.985_214_6e-8,
    ],
    [
        0.137_308_98,
        0.081_923_69,
        0.012_781_458,
        -0.036_034_57,
        -0.063_079_156,
        -0.037_684_325,
        -0.009_772_681,
        0.002_533_389_5,
        0.004_454_797_6,
        0.001_870_965_9,
        0.000_646_591_77,
        0.000_183_518_71,
        3.415_456e-5,
        2.742_089_2e-6,
        2.195_681_5e-7,
        1.670_054_3e-8,
    ],
    [
        -0.023_856_202,
        -0.062_018_66,
        -0.069_736_205,
        -0.043_006_033,
        -0.000_243_183_44,
        0.019_066_151,
        0.010_664_022,
        0.002_933_329_2,
        -0.000_579_887_8,
        -0.000_527_224_85,
        -0.000_189_319_2,
        -5.815_762_8e-5,
        -9.770_707e-6,
        -8.303_038_6e-7,
        -6.995_128_4e-8,
        -5.495_739e-9,
    ],
];

/// The formula, its tables in registers.
#[derive(Clone, Copy)]
pub(in crate::functions) struct Polynomials<V: Lanes> {
    centers: V::Table,
    values: V::Table,
    coefficients: [V::Table; 6],
}

impl<V: Lanes<Real = f32>> Formula<V> for Polynomials<V> {
    #[inline(always)]
    unsafe fn in_registers() -> Self {
        let [a, b, c, d, e, f] = &COEFFICIENTS;
        // SAFETY: the caller's promise.
        unsafe {
            let coefficients = [V::table(a), V::table(b), V::table(c), V::table(d), V::table(e), V::table(f)];
            Polynomials { centers: V::table(&CENTERS), values: V::table(&VALUES), coefficients }
        }
    }

    #[inline(always)]
    unsafe fn value(self, x: V) -> V {
        // SAFETY: the caller's promise.
        unsafe {
            let sign = V::splat(-0.0);
            // What is not a number passes.
            let size = V::splat(LIMIT).min(x.and_not(sign));
            let place = V::splat(SCALE).mul_add(size, V::splat(2.0)).quarter();
            // Exact, as c is at least half of |x| and at most twice as much, or zero.
            let y = size.sub(V::look_up(self.centers, place));
            let [a, b, c, d, e, f] = self.coefficients;
            let q = V::look_up(f, place).mul_add(y, V::look_up(e, place)).mul_add(y, V::look_up(d, place));
            let q = q.mul_add(y, V::look_up(c, place)).mul_add(y, V::look_up(b, place)).mul_add(y, V::look_up(a, place));
            // y is larger than tanh c, which is zero, in the first interval alone.
            let first = V::look_up(self.values, place).max(y);
            q.mul_add(y, first).or(x.and(sign))
        }
    }
}
