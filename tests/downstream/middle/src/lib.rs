//! A crate whose own macros and functions are written with the library's.

#![forbid(unsafe_code)]
#![deny(warnings, clippy::pedantic)]

#[doc(hidden)]
pub use tensorwrapper;
pub use tensorwrapper::{Error, Tensor};

/// A product of two matrices, given as expressions and labels.
#[macro_export]
macro_rules! product {
    ($a:expr, $b:expr; $i:ident $k:ident $j:ident) => {
        $crate::tensorwrapper::try_tensor!([$i, $j] = ($a)[$i, $k] * ($b)[$k, $j])
    };
}

/// Any equation, scaled.
#[macro_export]
macro_rules! scaled {
    ($factor:literal * [$($left:tt)*] = $($right:tt)*) => {
        $crate::tensorwrapper::tensor!([$($left)*] = $factor * ($($right)*))
    };
}

/// An assignment to a place, by a number.
#[macro_export]
macro_rules! scale {
    ($place:ident by $number:expr) => {
        $crate::tensorwrapper::tensor!($place[i, j] *= $number)
    };
}

/// The sum of squares of a matrix.
///
/// # Errors
/// Another rank.
pub fn squares(a: &Tensor<f64>) -> Result<f64, Error> {
    tensorwrapper::try_tensor!([] = a[i, j] * a[i, j])
}
