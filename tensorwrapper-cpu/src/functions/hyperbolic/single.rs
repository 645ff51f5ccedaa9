//! tanh of `f32`, by a polynomial for each of sixteen intervals.
//!
//! For c near |x| and y = |x| - c, `tanh |x| = tanh c + y·(q₀ + q₁y + … + q₅y⁵)`; in the first interval c = 0 and `tanh |x| = y + y·(…)`.
//! An interval is a quarter of a binade of |x| + 0.625, so that they are shorter where tanh is less like a line.
//!
//! The numbers c lie near the middle of their intervals, where tanh is by chance a number of the type but for less than 0.0003 units in the
//! last place. Coefficients were fitted with 60 digits, for each interval by itself: least squares of the relative error of tanh |x|, with
//! weights that were changed until the largest errors were alike (Lawson's method). They were rounded one after the other from q₀ on,
//! those after it fitted again each time. The polynomials are off by 0.062 units in the last place.

use crate::functions::lanes::{ENTRIES, Formula, Lanes};

/// From here on the values are one.
pub(in crate::functions) const LIMIT: f32 = 9.25;
/// What is added to |x| before its leading digits are the place in the tables. The first interval has the place 9, the one after 15 the
/// place 0.
pub(in crate::functions) const START: f32 = 0.625;
/// c
pub(in crate::functions) const CENTERS: [f32; ENTRIES] = [
    1.587_71,
    2.104_06,
    2.593_325,
    3.106_78,
    3.810_48,
    4.831_9,
    5.810_78,
    6.858_88,
    8.317_75,
    0.0,
    0.189_372_93,
    0.308_995_6,
    0.500_821_35,
    0.743_487_95,
    0.982_782_4,
    1.230_19,
];
/// tanh c
const VALUES: [f32; ENTRIES] = [
    0.919_797_5,
    0.970_687_4,
    0.988_880_75,
    0.996_003_8,
    0.999_020_34,
    0.999_872_9,
    0.999_982_06,
    0.999_997_8,
    0.999_999_9,
    0.0,
    0.187_141_17,
    0.299_523_1,
    0.462_762_86,
    0.631_247_9,
    0.754_267_9,
    0.842_634_44,
];
/// q₀ to q₅
const COEFFICIENTS: [[f32; ENTRIES]; 6] = [
    [
        0.153_972_55,
        0.057_765_983,
        0.022_114_856,
        0.007_976_418,
        0.001_958_385_3,
        0.000_254_142_04,
        3.588_208_7e-5,
        4.410_827_4e-6,
        2.386_597_7e-7,
        0.0,
        0.964_978_16,
        0.910_285_95,
        0.785_850_5,
        0.601_526_14,
        0.431_079_98,
        0.289_967_2,
    ],
    [
        -0.141_624_23,
        -0.056_072_734,
        -0.021_868_935,
        -0.007_944_533,
        -0.001_956_309_4,
        -0.000_254_092_94,
        -3.587_849_6e-5,
        -4.410_699_6e-6,
        -2.386_505e-7,
        -3.898_320_2e-8,
        -0.180_587_29,
        -0.272_651_58,
        -0.363_662_48,
        -0.379_712_07,
        -0.325_149_77,
        -0.244_336_37,
    ],
    [
        0.078_947_36,
        0.035_174_854,
        0.014_253_985,
        0.005_253_789_5,
        0.001_300_908_3,
        0.000_169_216_22,
        2.390_362_7e-5,
        2.937_521_2e-6,
        1.567_743_5e-7,
        -0.333_328_9,
        -0.287_836_73,
        -0.221_792_31,
        -0.093_662_34,
        0.039_174_516,
        0.101_554_72,
        0.109_228_656,
    ],
    [
        -0.025_358_982,
        -0.015_450_726,
        -0.006_807_485_6,
        -0.002_585_406_2,
        -0.000_650_507_05,
        -8.482_722_5e-5,
        -1.200_060_25e-5,
        -1.470_613_4e-6,
        -7.836_243e-8,
        -0.000_163_861_08,
        0.114_242_844,
        0.157_294_23,
        0.164_573_58,
        0.101_835_31,
        0.031_784_27,
        -0.010_583_810_5,
    ],
    [
        0.000_210_097_82,
        0.004_521_345_3,
        0.002_478_451_2,
        0.001_007_823,
        0.000_265_433_22,
        3.509_31e-5,
        4.942_039e-6,
        6.123_642_6e-7,
        3.671_073_8e-8,
        0.135_983_15,
        0.090_171_546,
        0.053_067_915,
        -0.026_904_566,
        -0.063_124_37,
        -0.048_075_106,
        -0.020_982_388,
    ],
    [
        0.004_286_64,
        -0.000_522_077_26,
        -0.000_637_090_2,
        -0.000_303_659_62,
        -7.752_411e-5,
        -1.076_523e-5,
        -1.464_531e-6,
        -1.978_092_3e-7,
        -1.228_436_55e-8,
        -0.019_520_355,
        -0.101_016_976,
        -0.080_717_586,
        -0.050_641_3,
        -0.002_204_082_7,
        0.018_227_287,
        0.014_736_96,
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
            let place = size.add(V::splat(START)).quarter();
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
