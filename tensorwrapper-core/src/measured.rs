//! [`Measured`]: which types the absolute value and the mean of numbers have. Whole tensors of such numbers have `abs` and `mean`.
//!
//! Knows nothing of tensors.

use crate::element::Element;
use crate::stored::Numeric;

/// Numbers that have an absolute value and a mean, which are all, and the types of both. It is sealed, as [`Numeric`] is.
pub trait Measured: Numeric {
    /// The type of absolute values: the real type for complex numbers, the same type for all others.
    type Absolute: Numeric;
    /// The type of means: `f64` for integers, the same type for all others.
    type Mean: Element;

    /// The absolute value. That of the smallest integer wraps around, as in NumPy.
    #[doc(hidden)]
    fn absolute(self) -> Self::Absolute;
    /// This integer as an `i128`, in which no sum overflows; nothing for other numbers.
    #[doc(hidden)]
    fn to_integer(self) -> Option<i128>;
}

impl<T: Element> Measured for T {
    type Absolute = T::Real;
    type Mean = T;

    #[inline(always)]
    fn absolute(self) -> T::Real {
        // What a device computed as an absolute value is real already.
        if self.im() == T::Real::ZERO { self.re().abs() } else { self.abs() }
    }

    fn to_integer(self) -> Option<i128> {
        None
    }
}

macro_rules! integers {
    ($($T:ty: $absolute:expr;)*) => { $(
        impl Measured for $T {
            type Absolute = $T;
            type Mean = f64;

            #[inline(always)]
            fn absolute(self) -> $T {
                $absolute(self)
            }

            #[inline(always)]
            fn to_integer(self) -> Option<i128> {
                Some(i128::from(self))
            }
        }
    )* };
}
integers! {
    i32: i32::wrapping_abs;
    i64: i64::wrapping_abs;
    u8: std::convert::identity;
}

#[cfg(test)]
mod tests {
    use num_complex::Complex;

    use super::*;

    #[test]
    fn absolute_values_of_all_numbers() {
        assert_eq!([(-3).absolute(), 3.absolute(), i32::MIN.absolute()], [3, 3, i32::MIN]);
        assert_eq!([(-3i64).absolute(), i64::MIN.absolute()], [3, i64::MIN]);
        assert_eq!([0u8.absolute(), 255u8.absolute()], [0, 255]);
        assert_eq!([(-1.5f64).absolute(), 2.5.absolute(), f64::NEG_INFINITY.absolute()], [1.5, 2.5, f64::INFINITY]);
        assert!((-0.0f32).absolute().is_sign_positive() && f32::NAN.absolute().is_nan());
        assert_eq!([Complex::new(3.0, -4.0).absolute(), Complex::new(-2.0, 0.0).absolute()], [5.0, 2.0]);
        assert!(Complex::new(0.0f32, f32::NAN).absolute().is_nan());
    }
}
