//! What a tensor can hold: the numbers of equations, integers and truth values.
//!
//! A tensor that only stores, selects, compares and counts needs no arithmetic of a device. So tensors are generic over [`Stored`],
//! equations over its sub-trait [`Numeric`], and what devices compute over `Element`.

use std::fmt::{Debug, Display};

use num_complex::Complex;

use crate::dtype::Dtype;
use crate::mixes::{ElementOf, MixesWith};
use crate::storage::{Buffer, Owned, Plain, SliceMut, SliceRef};

/// The seal of [`Stored`]: the floating-point types break it beside their arithmetic.
pub(crate) mod sealed {
    pub trait Sealed {}
}

/// What a tensor can hold: the numbers of equations ([`Element`](crate::element::Element)), `i32`, `i64`, `u8` and `bool`. Sealed.
///
/// Equations compute with all of them but `bool`, whose tensors are conditions.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type that tensors hold",
    label = "tensors hold `f32`, `f64`, `Complex<f32>`, `Complex<f64>`, `i32`, `i64`, `u8` or `bool`",
    note = "in generic code the bound is `T: Element` for equations with functions or division, `T: Numeric` for all equations, and `T: Stored` for \
            tensors without equations"
)]
pub trait Stored: sealed::Sealed + Plain + Copy + Debug + Display + Default + PartialEq + Send + Sync + 'static {
    /// The type's name, as Rust writes it.
    const NAME: &'static str;
    /// Zero, and `false`.
    const NOTHING: Self;
    /// One, and `true`.
    const UNIT: Self;

    /// NumPy's name of the type, without the order of its bytes.
    #[doc(hidden)]
    const NUMPY: &'static str;
    /// The value of as many bytes as it has, in this order.
    #[doc(hidden)]
    fn from_bytes(bytes: &[u8], is_big_endian: bool) -> Self;
    /// As many bytes as a value has.
    #[doc(hidden)]
    type Bytes: AsRef<[u8]>;
    /// The value's bytes in this machine's order.
    #[doc(hidden)]
    fn to_bytes(self) -> Self::Bytes;

    /// The slice with its type erased, if equations compute with elements of this type.
    #[doc(hidden)]
    fn numbers(_: &[Self]) -> Option<SliceRef<'_>> {
        None
    }
    /// As [`numbers`](Stored::numbers), for a slice to write.
    #[doc(hidden)]
    fn numbers_mut(_: &mut [Self]) -> Option<SliceMut<'_>> {
        None
    }
}

/// A number: every type that tensors hold but `bool`. Whole tensors of numbers are added, multiplied and summed, and so are they in
/// equations. Integers that overflow wrap around, as NumPy's do; equations compute them in 64 bits.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type of number that equations compute with",
    label = "not a number",
    note = "equations compute with `f32`, `f64`, `Complex<f32>`, `Complex<f64>`, `i32`, `i64` and `u8`; a tensor of `bool` is a condition, \
            `select(m[i]; X, Y)`; in generic code the bound is `T: Element`, or `T: Numeric` for integers, too"
)]
pub trait Numeric: Stored + ElementOf<Itself = Self> + MixesWith<Self, Mixed = Self> {
    /// `self + other`.
    fn plus(self, other: Self) -> Self;
    /// `self - other`.
    fn minus(self, other: Self) -> Self;
    /// `self * other`.
    fn times(self, other: Self) -> Self;
    /// `-self`.
    fn negated(self) -> Self;
    /// A whole number as this type, rounded or wrapped around if the type does not have it.
    fn whole(number: i64) -> Self;

    /// The type in which a device computes equations over such numbers.
    #[doc(hidden)]
    const COMPUTED: Dtype;
    /// Whether it is an integer, which that type does not always hold.
    #[doc(hidden)]
    const IS_INTEGER: bool;
    /// This number in an equation: an integer is the sum of both parts.
    #[doc(hidden)]
    fn to_constant(self) -> Complex<f64>;
    /// The elements of a buffer, if they are of this type.
    #[doc(hidden)]
    fn of_buffer(buffer: Buffer) -> Result<Owned<Self>, Buffer>;
    /// The slice with its type erased, of integers.
    #[doc(hidden)]
    fn integers(_: &[Self]) -> Option<IntegersRef<'_>> {
        None
    }
}

/// A power by squaring: integers wrap around, and powers of complex numbers that are real are real.
pub fn power<T: Numeric>(mut x: T, mut exponent: u32) -> T {
    let mut product = T::UNIT;
    while exponent > 0 {
        if exponent % 2 == 1 {
            product = product.times(x);
        }
        exponent /= 2;
        // The last square would be for nothing.
        if exponent > 0 {
            x = x.times(x);
        }
    }
    product
}

#[diagnostic::do_not_recommend]
impl<T: Numeric> MixesWith<T> for T {
    type Mixed = T;
}

/// Integers of a type that is known at run time.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum IntegersRef<'a> {
    I32(&'a [i32]),
    I64(&'a [i64]),
    U8(&'a [u8]),
}

/// A number as its bytes.
macro_rules! number {
    (read $T:ty) => {
        |bytes: &[u8], is_big_endian: bool| {
            let bytes = bytes.try_into().expect("a number has its size");
            if is_big_endian { <$T>::from_be_bytes(bytes) } else { <$T>::from_le_bytes(bytes) }
        }
    };
    (write $T:ty) => {
        <$T>::to_ne_bytes
    };
}
pub(crate) use number;

/// What else all types have, then a row for each: its names, zero and one, how it is read from bytes and written.
macro_rules! stored {
    (@one { $($others:tt)* } $T:ty, $name:literal, $numpy:literal, $zero:expr, $one:expr, $read:expr, $write:expr) => {
        impl $crate::stored::sealed::Sealed for $T {}
        impl $crate::stored::Stored for $T {
            const NAME: &'static str = $name;
            const NOTHING: Self = $zero;
            const UNIT: Self = $one;
            const NUMPY: &'static str = $numpy;

            #[inline]
            fn from_bytes(bytes: &[u8], is_big_endian: bool) -> Self {
                $read(bytes, is_big_endian)
            }
            type Bytes = [u8; size_of::<$T>()];
            #[inline]
            fn to_bytes(self) -> Self::Bytes {
                $write(self)
            }
            $($others)*
        }
    };
    ($others:tt $($T:ty, $name:literal, $numpy:literal, $zero:expr, $one:expr, $read:expr, $write:expr;)*) => {
        $(stored!(@one $others $T, $name, $numpy, $zero, $one, $read, $write);)*
    };
}
pub(crate) use stored;

stored! { {}
    i32, "i32", "i4", 0, 1, number!(read i32), number!(write i32);
    i64, "i64", "i8", 0, 1, number!(read i64), number!(write i64);
    u8, "u8", "u1", 0, 1, number!(read u8), number!(write u8);
    bool, "bool", "b1", false, true, |bytes: &[u8], _| bytes != [0], |truth| [u8::from(truth)];
}

macro_rules! integers {
    ($($T:ty: $Variant:ident),*) => { $(
        impl ElementOf for $T {
            type Itself = $T;
        }
        impl Numeric for $T {
            const COMPUTED: Dtype = Dtype::F64;
            const IS_INTEGER: bool = true;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn negated(self) -> Self {
                self.wrapping_neg()
            }
            #[inline(always)]
            fn whole(number: i64) -> Self {
                number as $T
            }
            fn to_constant(self) -> Complex<f64> {
                exact_parts(i64::from(self))
            }
            fn of_buffer(buffer: Buffer) -> Result<Owned<Self>, Buffer> {
                Err(buffer)
            }
            fn integers(slice: &[Self]) -> Option<IntegersRef<'_>> {
                Some(IntegersRef::$Variant(slice))
            }
        }
    )* };
}
integers! { i32: I32, i64: I64, u8: U8 }

/// An integer as the sum of two numbers of double precision. The second one is zero where the first one holds it.
fn exact_parts(number: i64) -> Complex<f64> {
    let low = if number.unsigned_abs() > 1 << f64::MANTISSA_DIGITS { number & 0xffff_ffff } else { 0 };
    Complex::new((number - low) as f64, low as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_all_numbers() {
        assert_eq!([power(3, 0), power(3, 1), power(-3, 5), power(10, 9)], [1, 3, -243, 1_000_000_000]);
        assert_eq!([power(10, 10), power(7, u32::MAX)], [10i32.wrapping_pow(10), 7i32.wrapping_pow(u32::MAX)]);
        assert_eq!([power(2u8, 7), power(2, 8), power(0, 0)], [128, 0, 1]);
        assert_eq!(power(1e200f64, 1), 1e200);
        assert_eq!(power(Complex::new(-2.0, 0.0), 3), Complex::new(-8.0, 0.0));
        assert_eq!(power(Complex::new(0.0, 2.0f32), 4), Complex::new(16.0, 0.0));
    }

    #[test]
    fn integers_are_the_sum_of_both_parts() {
        let large = [i64::MAX, i64::MIN, (1 << 53) + 1, -(1 << 53) - 1, 0x1234_5678_9abc_def1];
        for number in [0, 1, -1, 1 << 53, -(1 << 53)].into_iter().chain(large) {
            let parts = number.to_constant();
            assert_eq!(parts.re as i128 + parts.im as i128, i128::from(number), "{number}");
            assert_eq!(parts.im != 0.0, number.unsigned_abs() > 1 << 53 && number != i64::MIN, "{number}");
        }
    }
}
