//! What the compiler knows of the shape of two tensors that must have the same extents.

use super::at_least::each_rank;
use super::extent::{Const, Dyn, Extent};
use super::extents::Extents;
use super::value::Shape;

/// An extent type that may be the extent of an axis of type `E`: everything but another constant.
#[diagnostic::on_unimplemented(
    message = "an axis of extent `{Self}` beside one of extent `{E}`",
    label = "tensors that are combined element by element have the same extents",
    note = "`Const<3>` is an extent of 3, and `Dyn` one that only the run knows"
)]
pub trait JoinExtent<E: Extent>: Extent {
    /// The one of the two that says more.
    type Joined: Extent;
}

impl JoinExtent<Dyn> for Dyn {
    type Joined = Dyn;
}
impl<const N: usize> JoinExtent<Dyn> for Const<N> {
    type Joined = Const<N>;
}
impl<const N: usize> JoinExtent<Const<N>> for Dyn {
    type Joined = Const<N>;
}
impl<const N: usize> JoinExtent<Const<N>> for Const<N> {
    type Joined = Const<N>;
}

/// A shape type that may describe the tensor that `S` describes: it has the same rank and no other constants, as far as both are known.
///
/// ```
/// # use tensorwrapper_core as tensorwrapper;
/// use tensorwrapper::{Join, Shape};
/// fn both<A: Join<B, Joined = Shape![3, 4]>, B: tensorwrapper::Extents>() {}
/// both::<Shape![3, _], Shape![_, 4]>();
/// both::<Shape![3, 4], Shape>();
/// ```
#[diagnostic::on_unimplemented(
    message = "a tensor of shape `{Self}` beside one of shape `{S}`",
    label = "tensors that are combined element by element have the same extents",
    note = "`Const<3>` is an extent of 3, and `Dyn` one that only the run knows; nothing is broadcast"
)]
pub trait Join<S: Extents>: Extents {
    /// What is known of the shape from both types.
    type Joined: Extents;
}

impl<S: Extents> Join<Shape> for S {
    type Joined = S;
}

macro_rules! tuples {
    ($($($own:ident.$other:ident)*;)*) => { $(
        impl<$($own: JoinExtent<$other>, $other: Extent),*> Join<($($other,)*)> for ($($own,)*) {
            type Joined = ($($own::Joined,)*);
        }
        impl<$($own: Extent),*> Join<($($own,)*)> for Shape {
            type Joined = ($($own,)*);
        }
    )* };
}
each_rank!(tuples);
