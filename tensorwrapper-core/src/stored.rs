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
    label = "tensors hold `f32`, `f64`, `Complex<f32>`, `Complex<f64>`, `i32`, `i64`, `u8` or `bool`"
)]
pub trait Stored: sealed::Sealed + Plain + Copy + Debug + Display + Default + PartialEq + Send + Sync + 'static {
    /// The type's name, as Rust writes it.
    const NAME: &'static str;
    /// Zero, and `false`.
    const NOTHING: Self;
    /// One, and `true`.
    const UNIT: Self;

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
pub trait Number: Stored {
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

macro_rules! stored {
    ($($T:ty, $name:literal, $zero:literal, $one:literal;)*) => { $(
        impl sealed::Sealed for $T {}
        impl Stored for $T {
            const NAME: &'static str = $name;
            const NOTHING: Self = $zero;
            const UNIT: Self = $one;
        }
    )* };
}
stored! {
    i32, "i32", 0, 1;
    i64, "i64", 0, 1;
    u8, "u8", 0, 1;
    bool, "bool", false, true;
}

macro_rules! integers {
    ($($T:ty)*) => { $(
        impl Number for $T {
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
