//! tanh of `f64`, by its values at some places and the addition theorem.
//!
//! For c near |x|, y = |x| - c and t = tanh y:
//!
//! `tanh |x| = tanh c + (1 - tanh² c)·t / (1 + t·tanh c)`, with `t = y·A(y²) / B(y²)`, so that one division does for both quotients.
//!
//! Sixteen intervals have a c each; they are as wide as the second term allows, which must be so small that its error counts little: a
//! quarter of a binade of 2 + scale·|x|. The first two have c = 0, where the formula is `y + y·(A - B) / B`, whose second term is small,
//! too.
//!
//! The numbers c lie near the middle of their intervals, where tanh is by chance a number of the type but for less than 0.0002 units in the
//! last place. A and B are polynomials of degree three that begin with one, the same in all intervals. They were fitted with 90 digits:
//! least squares of the relative error of tanh |x| in all intervals, linear in the coefficients as `t·B - y·A`, with weights that were
//! changed until the largest errors were alike (Lawson's method). The formula is off by 0.013 units in the last place.

use crate::functions::lanes::{ENTRIES, Formula, Lanes};

/// From here on the values are one.
pub(in crate::functions) const LIMIT: f64 = 19.25;
/// Leading digits of `START + SCALE·|x|` are the place in the tables. At the limit it is a little less than 32.
pub(in crate::functions) const START: f64 = 2.0;
pub(in crate::functions) const SCALE: f64 = 1.557_617_187_5;
/// c
pub(in crate::functions) const CENTERS: [f64; ENTRIES] = [
    0.0,
    0.0,
    0.786_440_710_662_602_2,
    1.109_503_657_808_551_3,
    1.526_671_648_902_821_1,
    2.166_745_479_623_824_4,
    2.836_550_620_689_655,
    3.484_187_285_266_457_5,
    4.359_659_134_796_239,
    5.646_560_702_194_357,
    6.909_284_313_479_624,
    8.230_995_460_815_047,
    9.916_942_445_141_066,
    12.526_929_053_291_536,
    15.152_734_695_924_766,
    17.616_360_670_846_397,
];
/// tanh c
const VALUES: [f64; ENTRIES] = [
    0.0,
    0.0,
    0.656_387_979_549_645_6,
    0.803_886_872_511_684_1,
    0.909_853_293_915_578_3,
    0.974_096_575_416_507_7,
    0.993_149_169_247_762_1,
    0.998_119_407_004_668,
    0.999_673_256_296_010_3,
    0.999_975_083_658_436_8,
    0.999_998_006_108_783_5,
    0.999_999_858_199_374_5,
    0.999_999_995_132_754_7,
    0.999_999_999_973_680_5,
    0.999_999_999_999_862_1,
    0.999_999_999_999_999,
];
const ALL: f64 = f64::from_bits(u64::MAX);
/// Digits that are all ones where c is zero, elsewhere zeros.
const IS_FIRST: [f64; ENTRIES] = [ALL, ALL, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
/// A without its first coefficient.
const ABOVE: [f64; 3] = [0.128_150_404_853_630_3, 0.002_791_127_666_628_015, 7.342_445_635_234_012e-6];
/// -B without its first coefficient.
const BELOW: [f64; 3] = [-0.461_483_738_186_963_4, -0.023_285_707_062_291_987, -0.000_206_333_676_247_191_2];

/// The formula, its tables in registers.
#[derive(Clone, Copy)]
pub(in crate::functions) struct Quotient<V: Lanes> {
    centers: V::Table,
    values: V::Table,
    is_first: V::Table,
}

impl<V: Lanes<Real = f64>> Quotient<V> {
    /// A polynomial of degree two by Horner's rule.
    ///
    /// # Safety
    /// See [`Lanes`].
    #[inline(always)]
    unsafe fn polynomial(z: V, [a, b, c]: [f64; 3]) -> V {
        // SAFETY: the caller's promise.
        unsafe { V::splat(c).mul_add(z, V::splat(b)).mul_add(z, V::splat(a)) }
    }
}

impl<V: Lanes<Real = f64>> Formula<V> for Quotient<V> {
    #[inline(always)]
    unsafe fn in_registers() -> Self {
        // SAFETY: the caller's promise.
        unsafe { Quotient { centers: V::table(&CENTERS), values: V::table(&VALUES), is_first: V::table(&IS_FIRST) } }
    }

    #[inline(always)]
    unsafe fn value(self, x: V) -> V {
        // SAFETY: the caller's promise.
        unsafe {
            let (one, sign) = (V::splat(1.0), V::splat(-0.0));
            // What is not a number passes.
            let size = V::splat(LIMIT).min(x.and_not(sign));
            let place = V::splat(SCALE).mul_add(size, V::splat(START)).quarter();
            let value = V::look_up(self.values, place);
            let is_first = V::look_up(self.is_first, place);
            // Exact, as c is at least half of |x| and at most twice as much, or zero.
            let y = size.sub(V::look_up(self.centers, place));
            let z = y.mul(y);
            // A = 1 + z·above, B = 1 - z·below
            let (above, below) = (Self::polynomial(z, ABOVE), Self::polynomial(z, BELOW));
            let slope = value.sub_from(value, one);
            let divisor = y.mul(z.mul_add(above, one)).mul_add(value, z.sub_from(below, one));
            // slope·A, or A - B where c is zero: there the slope is one, and the quotient is added to y instead of tanh c.
            let rest = z.mul_add(slope.mul_add(above, below.and(is_first)), slope.and_not(is_first));
            let quotient = y.mul(rest).div(divisor);
            y.and(is_first).or(value).add(quotient).or(x.and(sign))
        }
    }
}
