//! The numbers that a tensor can hold: a sealed trait, whose run-time twin is [`Dtype`].
//!
//! Knows nothing of tensors. Everything that differs from one element type to another is here.

use std::fmt::LowerExp;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub};

use num_complex::Complex;

use crate::callback::{Callback, Typed};
pub use crate::cast::CastInto;
pub use crate::dtype::{Dtype, EveryDtype, dispatch};
pub use crate::mixes::{ElementOf, Elements, MixesWith};
use crate::storage::{Buffer, Owned, SliceMut, SliceRef};
use crate::stored::{Numeric, Stored, number, stored};

mod sealed {
    pub trait Sealed {}
    /// The types of complex numbers' parts.
    pub trait Real {}
}

// Of any such type, because rustc lists implementations for a certain one with each error.
#[diagnostic::do_not_recommend]
impl<R: sealed::Real> MixesWith<Complex<R>> for R {
    type Mixed = Complex<R>;
}
#[diagnostic::do_not_recommend]
impl<R: sealed::Real> MixesWith<R> for Complex<R> {
    type Mixed = Complex<R>;
}

/// A number that devices compute with: `f32`, `f64`, `Complex<f32>`, `Complex<f64>`. Sealed.
///
/// For each of them, all bytes zero are a valid value, [`ZERO`](Element::ZERO); storage relies on it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type of number with fractions",
    label = "computed with `f32`, `f64`, `Complex<f32>` and `Complex<f64>` alone",
    note = "a tensor of integers becomes one of such numbers by `cast(f64; a[i])` in an equation, and by `a.cast::<f64>()?`; in generic code the bound is `T: Element`"
)]
pub trait Element:
    sealed::Sealed
    + MixesWith<<Self as Element>::Real, Mixed = Self>
    + Numeric
    + LowerExp
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + AddAssign
    + MulAssign
    + 'static
{
    /// The type of the real part, and of absolute values.
    type Real: Element<Real = Self::Real, Complex = Self::Complex> + PartialOrd + CastInto<Self> + MixesWith<Self, Mixed = Self>;
    /// The complex type of the same precision.
    type Complex: Element<Real = Self::Real, Complex = Self::Complex>;
    /// This type as a run-time value.
    const DTYPE: Dtype;
    /// Zero.
    const ZERO: Self = Self::NOTHING;
    /// One.
    const ONE: Self = Self::UNIT;

    /// Rounds a double-precision number to this type; a real type keeps the real part.
    fn from_complex(value: Complex<f64>) -> Self;
    /// This number in double precision.
    fn to_complex(self) -> Complex<f64>;
    /// A real number as this type.
    fn from_real(value: Self::Real) -> Self;
    /// The complex conjugate.
    fn conj(self) -> Self;
    /// The real part.
    fn re(self) -> Self::Real;
    /// The imaginary part; zero for real types.
    fn im(self) -> Self::Real;
    /// The absolute value.
    fn abs(self) -> Self::Real;
    /// `self / divisor`. If the quotient does not overflow, no intermediate result does. Complex numbers are divided by the method of R.
    /// L. Smith, Commun. ACM 5, 435 (1962); if the divisor is real, each part is divided by it.
    fn quotient(self, divisor: Self) -> Self;

    /// A slice of elements as one whose type is known at run time.
    fn erase(slice: &[Self]) -> SliceRef<'_>;
    /// As [`erase`](Element::erase), for a slice to write.
    fn erase_mut(slice: &mut [Self]) -> SliceMut<'_>;
    #[doc(hidden)]
    fn erase_vec(elements: Owned<Self>) -> Buffer;
    /// The elements of a slice, if they are of this type.
    fn typed(slice: SliceRef<'_>) -> Option<&[Self]>;
    /// As [`typed`](Element::typed), for a slice to write.
    fn typed_mut(slice: SliceMut<'_>) -> Option<&mut [Self]>;
    #[doc(hidden)]
    fn typed_vec(buffer: Buffer) -> Result<Owned<Self>, Buffer>;
    #[doc(hidden)]
    fn erase_function(function: Typed<'_, Self>) -> Callback<'_>;
    #[doc(hidden)]
    fn typed_function(callback: Callback<'_>) -> Option<Typed<'_, Self>>;
}

macro_rules! erasure {
    ($Variant:ident) => {
        const DTYPE: Dtype = Dtype::$Variant;

        #[inline]
        fn erase(slice: &[Self]) -> SliceRef<'_> {
            SliceRef::$Variant(slice)
        }
        #[inline]
        fn erase_mut(slice: &mut [Self]) -> SliceMut<'_> {
            SliceMut::$Variant(slice)
        }
        #[inline]
        fn erase_vec(elements: Owned<Self>) -> Buffer {
            Buffer::$Variant(elements)
        }
        #[inline]
        fn typed(slice: SliceRef<'_>) -> Option<&[Self]> {
            match slice {
                SliceRef::$Variant(slice) => Some(slice),
                _ => None,
            }
        }
        #[inline]
        fn typed_mut(slice: SliceMut<'_>) -> Option<&mut [Self]> {
            match slice {
                SliceMut::$Variant(slice) => Some(slice),
                _ => None,
            }
        }
        #[inline]
        fn typed_vec(buffer: Buffer) -> Result<Owned<Self>, Buffer> {
            match buffer {
                Buffer::$Variant(elements) => Ok(elements),
                other => Err(other),
            }
        }
        fn erase_function(function: Typed<'_, Self>) -> Callback<'_> {
            Callback::$Variant(function)
        }
        fn typed_function(callback: Callback<'_>) -> Option<Typed<'_, Self>> {
            match callback {
                Callback::$Variant(function) => Some(function),
                _ => None,
            }
        }
    };
}

macro_rules! numbers {
    ($($T:ty)*) => { $(
        impl ElementOf for $T {
            type Itself = $T;
        }
        impl Numeric for $T {
            const COMPUTED: Dtype = Self::DTYPE;
            const IS_INTEGER: bool = false;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn negated(self) -> Self {
                -self
            }
            #[inline(always)]
            fn whole(number: i64) -> Self {
                Self::from_complex((number as f64).into())
            }
            #[inline(always)]
            fn to_constant(self) -> Complex<f64> {
                self.to_complex()
            }
            #[inline(always)]
            fn of_buffer(buffer: Buffer) -> Result<Owned<Self>, Buffer> {
                Self::typed_vec(buffer)
            }
        }
    )* };
}
numbers! { f32 f64 Complex<f32> Complex<f64> }

stored! {
    {
        fn numbers(slice: &[Self]) -> Option<SliceRef<'_>> {
            Some(Self::erase(slice))
        }
        fn numbers_mut(slice: &mut [Self]) -> Option<SliceMut<'_>> {
            Some(Self::erase_mut(slice))
        }
    }
    f32, "f32", "f4", 0.0, 1.0, number!(read f32), number!(write f32);
    f64, "f64", "f8", 0.0, 1.0, number!(read f64), number!(write f64);
    Complex<f32>, "Complex<f32>", "c8", Complex::new(0.0, 0.0), Complex::new(1.0, 0.0), read_complex, write_complex;
    Complex<f64>, "Complex<f64>", "c16", Complex::new(0.0, 0.0), Complex::new(1.0, 0.0), read_complex, write_complex;
}

/// A complex number of the bytes of its parts.
#[inline]
fn read_complex<R: Stored>(bytes: &[u8], is_big_endian: bool) -> Complex<R> {
    let (re, im) = bytes.split_at(bytes.len() / 2);
    Complex::new(R::from_bytes(re, is_big_endian), R::from_bytes(im, is_big_endian))
}

#[inline]
fn write_complex<R: Stored, const BYTES: usize>(number: Complex<R>) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    let (re, im) = bytes.split_at_mut(BYTES / 2);
    re.copy_from_slice(number.re.to_bytes().as_ref());
    im.copy_from_slice(number.im.to_bytes().as_ref());
    bytes
}

macro_rules! elements {
    ($($R:ty: $real:ident, $complex:ident;)*) => { $(
        impl sealed::Sealed for $R {}
        impl Element for $R {
            type Real = $R;
            type Complex = Complex<$R>;

            #[inline]
            fn from_complex(value: Complex<f64>) -> Self {
                value.re as $R
            }
            #[inline]
            fn to_complex(self) -> Complex<f64> {
                Complex::new(f64::from(self), 0.0)
            }
            #[inline]
            fn from_real(value: $R) -> Self {
                value
            }
            #[inline]
            fn conj(self) -> Self {
                self
            }
            #[inline]
            fn re(self) -> $R {
                self
            }
            #[inline]
            fn im(self) -> $R {
                0.0
            }
            #[inline]
            fn abs(self) -> $R {
                <$R>::abs(self)
            }
            #[inline]
            fn quotient(self, divisor: Self) -> Self {
                self / divisor
            }
            erasure!($real);
        }

        impl sealed::Real for $R {}
        impl sealed::Sealed for Complex<$R> {}
        impl Element for Complex<$R> {
            type Real = $R;
            type Complex = Complex<$R>;

            #[inline]
            fn from_complex(value: Complex<f64>) -> Self {
                Complex::new(value.re as $R, value.im as $R)
            }
            #[inline]
            fn to_complex(self) -> Complex<f64> {
                Complex::new(f64::from(self.re), f64::from(self.im))
            }
            #[inline]
            fn from_real(value: $R) -> Self {
                Complex::new(value, 0.0)
            }
            #[inline]
            fn conj(self) -> Self {
                Complex::conj(&self)
            }
            #[inline]
            fn re(self) -> $R {
                self.re
            }
            #[inline]
            fn im(self) -> $R {
                self.im
            }
            #[inline]
            fn abs(self) -> $R {
                self.norm()
            }
            #[inline]
            fn quotient(self, divisor: Self) -> Self {
                // Without a branch, so that many are computed at once: which part is larger is anybody's guess.
                let (a, b, c, d) = (self.re, self.im, divisor.re, divisor.im);
                let by_re = c.abs() >= d.abs();
                let (large, small) = if by_re { (c, d) } else { (d, c) };
                let (first, second) = if by_re { (a, b) } else { (b, a) };
                let ratio = small / large;
                let (re, im) = (first + second * ratio, second - first * ratio);
                // 0 − 0 is no −0, so that the difference is taken the other way about rather than negated.
                let im = if by_re { im } else { first * ratio - second };
                let is_real = d == 0.0;
                let (re, im) = if is_real { (a, b) } else { (re, im) };
                let scale = if is_real { c } else { large + small * ratio };
                Complex::new(re / scale, im / scale)
            }
            erasure!($complex);
        }
    )* };
}
elements! {
    f32: F32, C32;
    f64: F64, C64;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Smith's algorithm is, with its branches.
    fn by_branches(x: Complex<f64>, y: Complex<f64>) -> Complex<f64> {
        let (a, b, c, d) = (x.re, x.im, y.re, y.im);
        if d == 0.0 {
            Complex::new(a / c, b / c)
        } else if c.abs() >= d.abs() {
            let (ratio, scale) = (d / c, c + d * (d / c));
            Complex::new((a + b * ratio) / scale, (b - a * ratio) / scale)
        } else {
            let (ratio, scale) = (c / d, c * (c / d) + d);
            Complex::new((a * ratio + b) / scale, (b * ratio - a) / scale)
        }
    }

    #[test]
    fn quotients_are_those_of_the_branches() {
        let parts = [0.0, -0.0, 1.0, -2.0, 0.3, -7.1, 1e308, -1e-310, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        let numbers: Vec<_> = parts.iter().flat_map(|&re| parts.map(|im| Complex::new(re, im))).collect();
        let is_same = |x: f64, y: f64| x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan();
        for &x in &numbers {
            for &y in &numbers {
                let (found, expected) = (x.quotient(y), by_branches(x, y));
                assert!(is_same(found.re, expected.re) && is_same(found.im, expected.im), "{x} / {y}: {found}, not {expected}");
            }
        }
        let large = Complex::new(1e300, 1e300);
        assert_eq!(large.quotient(large), Complex::new(1.0, 0.0), "no overflow on the way");
    }
}
