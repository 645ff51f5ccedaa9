//! Conversions of elements to numbers of another type.

use num_complex::Complex;

use crate::stored::{Numeric, Stored};

/// A type that can be cast to `U`, with rounding where necessary: any number to itself and to the same type of another precision, real
/// numbers and integers to complex ones and to each other, truth values to 0 and 1. Complex numbers are not cast to real ones: take a part
/// of them.
#[diagnostic::on_unimplemented(
    message = "elements of type `{Self}` are not cast to `{U}`",
    label = "elements of type `{Self}`",
    note = "complex numbers have real parts: write `cast(re(X))`, or `im` or `abs`; truth values are made by comparisons: `a.not_equal(0.0)?`"
)]
pub trait CastInto<U: Stored>: Stored {
    /// This number as one of type `U`.
    fn cast_into(self) -> U;
}

/// As `as` converts: to the nearest number; integers wrap around; numbers with a fraction lose it and stay within the integer's bounds, and
/// NaN becomes 0.
macro_rules! real {
    ($($T:ty => $($U:ty)*;)*) => { $(
        $(impl CastInto<$U> for $T {
            #[inline]
            fn cast_into(self) -> $U {
                self as $U
            }
        })*
        real!(@complex $T, f32);
        real!(@complex $T, f64);
    )* };
    (@complex $T:ty, $R:ty) => {
        impl CastInto<Complex<$R>> for $T {
            #[inline]
            fn cast_into(self) -> Complex<$R> {
                Complex::new(self as $R, 0.0)
            }
        }
    };
}
real! {
    f32 => f32 f64 i32 i64 u8;
    f64 => f32 f64 i32 i64 u8;
    i32 => f32 f64 i32 i64 u8;
    i64 => f32 f64 i32 i64 u8;
    u8 => f32 f64 i32 i64 u8;
}

macro_rules! complex {
    ($($T:ty => $($U:ty)*;)*) => { $($(
        impl CastInto<Complex<$U>> for Complex<$T> {
            #[inline]
            fn cast_into(self) -> Complex<$U> {
                Complex::new(self.re as $U, self.im as $U)
            }
        }
    )*)* };
}
complex! {
    f32 => f32 f64;
    f64 => f32 f64;
}

impl<U: Numeric> CastInto<U> for bool {
    #[inline]
    fn cast_into(self) -> U {
        if self { U::UNIT } else { U::NOTHING }
    }
}
