//! Traits of values in expansions that every element has, beside tuples and references.
//!
//! They stand here because only the crate of [`Element`] knows which types are none. It must not know of tensors.

use num_complex::Complex;

use crate::element::Element;

/// The same number as an element of type `T`. Between equal types the compiler leaves nothing of it.
#[inline(always)]
pub fn convert<X: Element, T: Element>(value: X) -> T {
    T::from_complex(value.to_complex())
}

/// A number of the program, or a static tensor of rank 0.
pub trait Number {
    /// The number as an element.
    fn number<T: Element>(&self) -> T;
}
impl<X: Element> Number for X {
    #[inline(always)]
    fn number<T: Element>(&self) -> T {
        convert(*self)
    }
}
/// References to numbers, one by one: a blanket implementation would meet the one for elements.
macro_rules! references {
    ($($X:ty),*) => { $(
        impl Number for &$X {
            #[inline(always)]
            fn number<T: Element>(&self) -> T {
                convert(**self)
            }
        }
    )* };
}
references!(f32, f64, Complex<f32>, Complex<f64>);
/// What a recording of type `R` has made, in its static form.
pub trait Settle<R> {
    /// The static form.
    fn settle(recorded: R) -> Self;
}
impl<T: Element> Settle<T> for T {
    fn settle(recorded: T) -> T {
        recorded
    }
}
macro_rules! tuples {
    ($($($V:ident $R:ident $n:tt)*;)*) => { $(
        impl<$($V: Settle<$R>, $R),*> Settle<($($R,)*)> for ($($V,)*) {
            #[allow(unused_variables, clippy::unused_unit)]
            fn settle(recorded: ($($R,)*)) -> Self {
                ($($V::settle(recorded.$n),)*)
            }
        }
    )* };
}
tuples! {
    ;
    A R 0 B S 1;
    A R 0 B S 1 C T 2;
}
