//! What a tensor can hold: the numbers of equations, integers and truth values.
//!
//! A tensor that only stores, selects, compares and counts needs no arithmetic of a device. So tensors are generic over [`Stored`], and
//! equations over its sub-trait `Element`.

use std::fmt::{Debug, Display};

use crate::storage::{Plain, SliceMut, SliceRef};

/// The seal of [`Stored`]: the floating-point types break it beside their arithmetic.
pub(crate) mod sealed {
    pub trait Sealed {}
}

/// What a tensor can hold: the numbers of equations ([`Element`](crate::element::Element)), `i32`, `i64`, `u8` and `bool`. Sealed.
///
/// Equations compute with `f32`, `f64`, `Complex<f32>` and `Complex<f64>`. Tensors of the other types have constructors, views, files, comparisons
/// and the methods of whole tensors.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type that tensors hold",
    label = "tensors hold `f32`, `f64`, `Complex<f32>`, `Complex<f64>`, `i32`, `i64`, `u8` or `bool`",
    note = "in generic code the bound is `T: Element` for tensors in equations, and `T: Stored` for all others"
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
    /// Appends the value's bytes in this machine's order.
    #[doc(hidden)]
    fn append_bytes(self, bytes: &mut Vec<u8>);

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

/// A number: every type that tensors hold but `bool`. Whole tensors of numbers are added, multiplied and summed. Sums of integers that overflow
/// wrap around, as NumPy's do.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a number", label = "tensors of numbers are computed with")]
pub trait Numeric: Stored {
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
}

/// A number as its bytes.
macro_rules! number {
    (read $T:ty) => {
        |bytes: &[u8], is_big_endian: bool| {
            let bytes = bytes.try_into().expect("a number has its size");
            if is_big_endian { <$T>::from_be_bytes(bytes) } else { <$T>::from_le_bytes(bytes) }
        }
    };
    (append $T:ty) => {
        |number: $T, bytes: &mut Vec<u8>| bytes.extend_from_slice(&number.to_ne_bytes())
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
            #[inline]
            fn append_bytes(self, bytes: &mut Vec<u8>) {
                $write(self, bytes);
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
    i32, "i32", "i4", 0, 1, number!(read i32), number!(append i32);
    i64, "i64", "i8", 0, 1, number!(read i64), number!(append i64);
    u8, "u8", "u1", 0, 1, number!(read u8), number!(append u8);
    bool, "bool", "b1", false, true, |bytes: &[u8], _| bytes != [0], |truth: bool, bytes: &mut Vec<u8>| bytes.push(truth.into());
}

macro_rules! integers {
    ($($T:ty)*) => { $(
        impl Numeric for $T {
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
        }
    )* };
}
integers! { i32 i64 u8 }
