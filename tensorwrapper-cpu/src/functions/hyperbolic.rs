//! tanh, by its values at some places and the addition theorem.
//!
//! For c near |x|, y = |x| - c and t = tanh y:
//!
//! `tanh |x| = tanh c + (1 - tanh² c)·t / (1 + t·tanh c)`, with `t = y·A(y²) / B(y²)`, so that one division does for both quotients.
//!
//! Sixteen intervals have a c each; they are as wide as the second term allows, which must be so small that its error does not count: a quarter of a
//! binade of 2 + scale·|x|. The first two have c = 0, where the formula is written as `y + y·(A - B) / B`, whose second term is small, too.

use super::kernel::{Call, From};
use super::lanes::{ENTRIES, Lanes, Pair};
use crate::simd::Simd;

/// The function, as that of a [`Call`].
#[derive(Clone, Copy)]
pub(super) struct Tanh;

/// What the formula needs for a type of numbers.
///
/// The numbers c are neighbours of places where tanh is by chance a number of the type, but for less than 0.0003 units in the last place (0.24
/// in the last interval of `f32`). A and B have the degrees that are listed and begin with one. They were fitted with 90 digits: least squares of the relative error of
/// tanh |x| over all intervals, linear in the coefficients as `t·B - y·A`, with weights that were changed until the largest errors were
/// alike (Lawson's method). The formula itself is off by 0.013 units in the last place for `f64`, 0.0003 for `f32`.
#[derive(Clone, Copy)]
pub(super) struct Constants<R: 'static> {
    one: R,
    two: R,
    sign: R,
    /// From here on the values are one.
    limit: R,
    /// 2 + scale·limit is a little less than 32.
    scale: R,
    /// c
    centers: [R; ENTRIES],
    /// tanh c
    values: [R; ENTRIES],
    /// Digits that are all ones where c is zero, elsewhere zeros.
    is_first: [R; ENTRIES],
    /// A without its first coefficient.
    above: &'static [R],
    /// -B without its first coefficient.
    below: &'static [R],
}

/// A type of numbers, with the registers for them.
pub(super) trait Tabled: Lanes<Real = Self> + 'static {
    #[cfg(target_arch = "x86_64")]
    type Wide: Lanes<Real = Self>;
    #[cfg(target_arch = "x86_64")]
    type Narrow: Lanes<Real = Self>;
    const CONSTANTS: Constants<Self>;
}

macro_rules! tabled {
    ($R:ident, $Wide:ident, $Narrow:ident; $limit:literal $scale:literal; $centers:tt $values:tt $above:tt $below:tt) => {
        impl Tabled for $R {
            #[cfg(target_arch = "x86_64")]
            type Wide = std::arch::x86_64::$Wide;
            #[cfg(target_arch = "x86_64")]
            type Narrow = std::arch::x86_64::$Narrow;
            const CONSTANTS: Constants<$R> = {
                const ALL: $R = <$R>::from_bits(!0);
                Constants {
                    one: 1.0,
                    two: 2.0,
                    sign: -0.0,
                    limit: $limit,
                    scale: $scale,
                    centers: $centers,
                    values: $values,
                    is_first: [ALL, ALL, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                    above: &$above,
                    below: &$below,
                }
            };
        }
    };
}
tabled!(
    f64, __m512d, __m256d; 19.25 1.557_617_187_5;
    [0.0, 0.0, 0.786_440_710_662_602_2, 1.109_503_657_808_551_3, 1.526_671_648_902_821_1, 2.166_745_479_623_824_4, 2.836_550_620_689_655, 3.484_187_285_266_457_5, 4.359_659_134_796_239, 5.646_560_702_194_357, 6.909_284_313_479_624, 8.230_995_460_815_047, 9.916_942_445_141_066, 12.526_929_053_291_536, 15.152_734_695_924_766, 17.616_360_670_846_397]
    [0.0, 0.0, 0.656_387_979_549_645_6, 0.803_886_872_511_684_1, 0.909_853_293_915_578_3, 0.974_096_575_416_507_7, 0.993_149_169_247_762_1, 0.998_119_407_004_668, 0.999_673_256_296_010_3, 0.999_975_083_658_436_8, 0.999_998_006_108_783_5, 0.999_999_858_199_374_5, 0.999_999_995_132_754_7, 0.999_999_999_973_680_5, 0.999_999_999_999_862_1, 0.999_999_999_999_999]
    [0.128_150_404_853_630_3, 0.002_791_127_666_628_015, 7.342_445_635_234_012e-6]
    [-0.461_483_738_186_963_4, -0.023_285_707_062_291_987, -0.000_206_333_676_247_191_2]
);
tabled!(
    f32, __m512, __m256; 9.25 3.242_187_5;
    [0.0, 0.0, 0.389_121_06, 0.536_633_85, 0.758_137_9, 1.056_993_6, 1.366_571_2, 1.676_437_1, 2.102_71, 2.703_785_7, 3.336_031_4, 3.951_227_4, 4.851_268, 6.046_116, 7.310_311_3, 8.560_782]
    [0.0, 0.0, 0.370_602_25, 0.490_435_7, 0.639_978_8, 0.784_510_5, 0.877_908_4, 0.932_397_66, 0.970_609_3, 0.991_075, 0.997_471_63, 0.999_260_6, 0.999_877_75, 0.999_988_8, 0.999_999_1, 0.999_999_94]
    [0.095_137_28]
    [-0.428_470_6, -0.009_490_355]
);

/// The constants in registers.
#[derive(Clone, Copy)]
struct Registers<V: Lanes> {
    one: V,
    two: V,
    sign: V,
    limit: V,
    scale: V,
    centers: V::Table,
    values: V::Table,
    is_first: V::Table,
}

impl<V: Lanes<Real: Tabled>> Registers<V> {
    const CONSTANTS: Constants<V::Real> = <V::Real as Tabled>::CONSTANTS;

    /// # Safety
    /// See [`Lanes`].
    #[inline(always)]
    unsafe fn new() -> Self {
        let constants = &const { Self::CONSTANTS };
        // SAFETY: the caller's promise.
        unsafe {
            Registers {
                one: V::splat(constants.one),
                two: V::splat(constants.two),
                sign: V::splat(constants.sign),
                limit: V::splat(constants.limit),
                scale: V::splat(constants.scale),
                centers: V::table(&constants.centers),
                values: V::table(&constants.values),
                is_first: V::table(&constants.is_first),
            }
        }
    }

    /// A polynomial by Horner's rule.
    ///
    /// # Safety
    /// See [`Lanes`].
    #[inline(always)]
    unsafe fn polynomial(z: V, terms: &[V::Real]) -> V {
        // SAFETY: the caller's promise.
        unsafe {
            let mut sum = V::splat(terms[terms.len() - 1]);
            for n in (0..terms.len() - 1).rev() {
                sum = sum.mul_add(z, V::splat(terms[n]));
            }
            sum
        }
    }

    /// # Safety
    /// See [`Lanes`].
    #[inline(always)]
    unsafe fn tanh(self, x: V) -> V {
        // SAFETY: the caller's promise.
        unsafe {
            let size = x.and_not(self.sign);
            // What is not a number passes.
            let size = self.limit.min(size);
            let place = self.scale.mul_add(size, self.two).quarter();
            let value = V::look_up(self.values, place);
            let is_first = V::look_up(self.is_first, place);
            // Exact, as c is at least half of |x| and at most twice as much, or zero.
            let y = size.sub(V::look_up(self.centers, place));
            let z = y.mul(y);
            // A = 1 + z·above, B = 1 - z·below
            let above = Self::polynomial(z, Self::CONSTANTS.above);
            let below = Self::polynomial(z, Self::CONSTANTS.below);
            let slope = value.sub_from(value, self.one);
            let divisor = y.mul(z.mul_add(above, self.one)).mul_add(value, z.sub_from(below, self.one));
            // slope·A, or A - B where c is zero: there the slope is one, and what the quotient is added to is y, elsewhere the value at c.
            let rest = z.mul_add(slope.mul_add(above, below.and(is_first)), slope.and_not(is_first));
            let quotient = y.mul(rest).div(divisor);
            y.and(is_first).or(value).add(quotient).or(x.and(self.sign))
        }
    }

    /// Writes as many values as whole registers have, from the number `n` on, and returns the number after them.
    ///
    /// # Safety
    /// See [`Lanes`]; `len` numbers are read at `from` and written to `to`, which may be the same place.
    #[inline(always)]
    unsafe fn write_registers(from: *const V::Real, to: *mut V::Real, mut n: usize, len: usize) -> usize {
        // SAFETY: the caller's promise.
        unsafe {
            let registers = Self::new();
            while n + V::COUNT <= len {
                registers.tanh(V::load(from.add(n))).store(to.add(n));
                n += V::COUNT;
            }
        }
        n
    }
}

/// Writes all values.
///
/// # Safety
/// As [`Registers::write_registers`].
#[inline(always)]
unsafe fn write_all<V: Lanes<Real: Tabled>>(from: *const V::Real, to: *mut V::Real, len: usize) {
    // SAFETY: the caller's promise; the array has room for the widest register.
    unsafe {
        let n = Registers::<Pair<Pair<V>>>::write_registers(from, to, 0, len);
        let n = Registers::<V>::write_registers(from, to, n, len);
        if n < len {
            let mut rest = [Registers::<V>::CONSTANTS.one; ENTRIES];
            let place = rest.as_mut_ptr();
            std::ptr::copy_nonoverlapping(from.add(n), place, len - n);
            Registers::<V>::write_registers(place, place, 0, V::COUNT);
            std::ptr::copy_nonoverlapping(place, to.add(n), len - n);
        }
    }
}

#[inline(always)]
fn one<R: Tabled>(x: R) -> R {
    // SAFETY: a number alone needs no instructions of its own.
    unsafe { Registers::<R>::new().tanh(x) }
}

/// Writes the values in the form for these instructions, which the processor has.
pub(super) fn dispatch<R: Tabled>(simd: Simd, Call { from, to, .. }: Call<'_, R, Tanh>) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f,avx2,fma")]
        unsafe fn wide<R: Tabled>(from: *const R, to: *mut R, len: usize) {
            // SAFETY: the caller's promise.
            unsafe { write_all::<R::Wide>(from, to, len) }
        }
        #[target_feature(enable = "avx2,fma")]
        unsafe fn narrow<R: Tabled>(from: *const R, to: *mut R, len: usize) {
            // SAFETY: the caller's promise.
            unsafe { write_all::<R::Narrow>(from, to, len) }
        }
        let (len, place) = (to.len(), to.as_mut_ptr());
        let given = match &from {
            From::Memory(from) => from[..len].as_ptr(),
            From::Itself => place,
        };
        match simd {
            // SAFETY: forms are chosen among those that are available, and both slices have so many numbers.
            Simd::Avx512 => return unsafe { wide(given, place, len) },
            // SAFETY: as above.
            Simd::Avx2 => return unsafe { narrow(given, place, len) },
            Simd::Neon | Simd::Portable => {}
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = simd;
    match from {
        From::Memory(from) => to.iter_mut().zip(from).for_each(|(to, &x)| *to = one(x)),
        From::Itself => to.iter_mut().for_each(|x| *x = one(*x)),
    }
}
