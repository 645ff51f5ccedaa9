//! Shapes whose extents are all constants, and the nested arrays that hold their elements inline.
//!
//! Stable Rust does not compute with constants of types, so arrays are made and walked one extent at a time, with the types of the
//! extents.

use super::extent::{Const, Extent};
use super::extents::Extents;
use super::value::Shape;

/// An extent known at compile time, and the array of that length.
#[doc(hidden)]
pub trait ConstExtent: Extent {
    /// The extent.
    const LEN: usize;
    /// The array of that length.
    type Array<X: Copy>: Copy;
    /// An array of equal elements.
    fn repeat<X: Copy>(element: X) -> Self::Array<X>;
    /// One element.
    fn get<X: Copy>(array: &Self::Array<X>, index: usize) -> &X;
    /// One element, writable.
    fn get_mut<X: Copy>(array: &mut Self::Array<X>, index: usize) -> &mut X;
    /// The elements of all arrays.
    fn flatten<X: Copy>(arrays: &[Self::Array<X>]) -> &[X];
    /// The elements of all arrays, writable.
    fn flatten_mut<X: Copy>(arrays: &mut [Self::Array<X>]) -> &mut [X];
}

impl<const N: usize> ConstExtent for Const<N> {
    const LEN: usize = N;
    type Array<X: Copy> = [X; N];

    #[inline(always)]
    fn repeat<X: Copy>(element: X) -> [X; N] {
        [element; N]
    }
    #[inline(always)]
    fn get<X: Copy>(array: &[X; N], index: usize) -> &X {
        &array[index]
    }
    #[inline(always)]
    fn get_mut<X: Copy>(array: &mut [X; N], index: usize) -> &mut X {
        &mut array[index]
    }
    #[inline]
    fn flatten<X: Copy>(arrays: &[[X; N]]) -> &[X] {
        arrays.as_flattened()
    }
    #[inline]
    fn flatten_mut<X: Copy>(arrays: &mut [[X; N]]) -> &mut [X] {
        arrays.as_flattened_mut()
    }
}

/// A shape of constants, such as `Shape![3, 4]`, of rank 0 to 8. Sealed, as [`Extents`] is.
#[diagnostic::on_unimplemented(
    message = "the extents of `{Self}` are not all constants",
    label = "a `StaticTensor` has constant extents",
    note = "its shape is written `Shape![3, 4]`, without `_`, of at most 8 axes"
)]
pub trait StaticExtents: Extents {
    /// The elements as nested arrays: `[[T; 4]; 3]` for `Shape![3, 4]`.
    type Nested<T: Copy>: Copy;
    /// Number of indices along each axis.
    const EXTENTS: &'static [usize];
    #[doc(hidden)]
    fn repeat<T: Copy>(value: T) -> Self::Nested<T>;
    #[doc(hidden)]
    fn slice<T: Copy>(nested: &Self::Nested<T>) -> &[T];
    #[doc(hidden)]
    fn slice_mut<T: Copy>(nested: &mut Self::Nested<T>) -> &mut [T];
}

impl Shape {
    /// The value of a shape type whose extents are all constants.
    ///
    /// ```
    /// # use tensorwrapper_core::Shape;
    /// assert_eq!(Shape::of::<Shape![3, 4]>(), Shape::new([3, 4]));
    /// ```
    pub fn of<S: StaticExtents>() -> Shape {
        Shape::new(S::EXTENTS)
    }
}

/// Nested arrays of elements, with the shape that they have.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the elements of a static tensor",
    label = "not nested arrays of elements",
    note = "the elements of a matrix are given as `[[1.0, 2.0], [3.0, 4.0]]`"
)]
pub trait NestedArray {
    /// The element type.
    type Elem;
    /// The shape type.
    type Extents;
}

/// The nested array of some axes.
#[doc(hidden)]
#[macro_export]
macro_rules! nested {
    ($T:ty;) => { $T };
    ($T:ty; $E:ty $(, $rest:ty)*) => { <$E as $crate::shape::ConstExtent>::Array<$crate::nested!($T; $($rest),*)> };
}

/// Nested arrays as one slice, axis by axis.
macro_rules! flattened {
    ($flatten:ident $T:ty, $slice:expr;) => { $slice };
    ($flatten:ident $T:ty, $slice:expr; $E:ident $(, $rest:ident)*) => {
        flattened!($flatten $T, <$E>::$flatten::<nested!($T; $($rest),*)>($slice); $($rest),*)
    };
}

/// One value, repeated along the axes.
macro_rules! repeated {
    ($T:ty, $value:expr;) => { $value };
    ($T:ty, $value:expr; $E:ident $(, $rest:ident)*) => {
        <$E>::repeat::<nested!($T; $($rest),*)>(repeated!($T, $value; $($rest),*))
    };
}

/// The type of literal nested arrays.
macro_rules! literal {
    ($T:ty;) => { $T };
    ($T:ty; $N:ident $(, $rest:ident)*) => { [literal!($T; $($rest),*); $N] };
}

macro_rules! ranks {
    ($($($E:ident),*;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($E: ConstExtent),*> StaticExtents for ($($E,)*) {
            type Nested<T: Copy> = nested!(T; $($E),*);
            const EXTENTS: &'static [usize] = &[$($E::LEN),*];

            #[inline(always)]
            fn repeat<T: Copy>(value: T) -> Self::Nested<T> {
                repeated!(T, value; $($E),*)
            }
            #[inline]
            fn slice<T: Copy>(nested: &Self::Nested<T>) -> &[T] {
                flattened!(flatten T, std::slice::from_ref(nested); $($E),*)
            }
            #[inline]
            fn slice_mut<T: Copy>(nested: &mut Self::Nested<T>) -> &mut [T] {
                flattened!(flatten_mut T, std::slice::from_mut(nested); $($E),*)
            }
        }
        impl<X: crate::stored::Stored, $(const $E: usize),*> NestedArray for literal!(X; $($E),*) {
            type Elem = X;
            type Extents = ($(Const<$E>,)*);
        }
    )* };
}
ranks! {
    ;
    A;
    A, B;
    A, B, C;
    A, B, C, D;
    A, B, C, D, E;
    A, B, C, D, E, F;
    A, B, C, D, E, F, G;
    A, B, C, D, E, F, G, H;
}
