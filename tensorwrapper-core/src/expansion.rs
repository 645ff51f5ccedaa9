//! Traits that the macros' expansions use, which every element type implements, as do tuples and references.
//!
//! They are in this crate because only the crate of [`Element`] knows which types are not element types. This file must not know tensors.

use num_complex::Complex;

use crate::element::Element;

/// The same number as an element of type `T`. Between equal types the compiler removes the conversion.
#[inline(always)]
pub fn convert<X: Element, T: Element>(value: X) -> T {
    T::from_complex(value.to_complex())
}

/// A number of the program, or a static tensor of rank 0.
pub trait ScalarOperand {
    /// The number as an element.
    fn number<T: Element>(&self) -> T;
}
impl<X: Element> ScalarOperand for X {
    #[inline(always)]
    fn number<T: Element>(&self) -> T {
        convert(*self)
    }
}
/// References to numbers, one by one: a blanket implementation would meet the one for elements.
macro_rules! references {
    ($($X:ty),*) => { $(
        impl ScalarOperand for &$X {
            #[inline(always)]
            fn number<T: Element>(&self) -> T {
                convert(**self)
            }
        }
    )* };
}
references!(f32, f64, Complex<f32>, Complex<f64>);
/// The static form of a recorded result of type `R`.
pub trait FromRecorded<R> {
    /// Copies a recorded result.
    fn from_recorded(recorded: R) -> Self;
}
impl<T: Element> FromRecorded<T> for T {
    fn from_recorded(recorded: T) -> T {
        recorded
    }
}
macro_rules! tuples {
    ($($($V:ident $R:ident $n:tt)*;)*) => { $(
        impl<$($V: FromRecorded<$R>, $R),*> FromRecorded<($($R,)*)> for ($($V,)*) {
            #[allow(unused_variables, clippy::unused_unit)]
            fn from_recorded(recorded: ($($R,)*)) -> Self {
                ($($V::from_recorded(recorded.$n),)*)
            }
        }
    )* };
}
tuples! {
    ;
    A R 0 B S 1;
    A R 0 B S 1 C T 2;
}
