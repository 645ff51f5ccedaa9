//! Indices of operands and extents of labels, as types: what the straight code of an equation loops over.
//!
//! Labels are numbered; where a loop stands, `at[K]` is the index of label `K`.

use std::marker::PhantomData;

use super::Node;
use crate::element::Element;
use crate::shape::{Axis, Const, ConstExtent, StaticExtents, nested};
use crate::tensor::StaticTensor;

/// A static tensor, or a reference to one.
pub trait Inline {
    /// The element type.
    type Elem: Element;
    /// The shape type.
    type Shape: StaticExtents;
    /// The tensor.
    fn tensor(&self) -> &StaticTensor<Self::Elem, Self::Shape>;
}
impl<T: Element, S: StaticExtents> Inline for StaticTensor<T, S> {
    type Elem = T;
    type Shape = S;
    #[inline(always)]
    fn tensor(&self) -> &StaticTensor<T, S> {
        self
    }
}
macro_rules! references {
    ($($X:ty),*) => { $(
        impl<X: Inline + ?Sized> Inline for $X {
            type Elem = X::Elem;
            type Shape = X::Shape;
            #[inline(always)]
            fn tensor(&self) -> &StaticTensor<X::Elem, X::Shape> {
                (**self).tensor()
            }
        }
    )* };
}
references!(&X, &mut X);

/// The index of one axis of an operand.
pub trait Term {
    /// The index on the axis.
    fn index<const L: usize>(&self, at: &[usize; L]) -> usize;
    /// Whether it is on an axis of this extent, wherever its label stands.
    fn fits(&self, extent: usize) -> bool;
}

/// The axis runs with label `K`.
#[derive(Clone, Copy, Debug)]
pub struct Run<const K: usize>;
impl<const K: usize> Term for Run<K> {
    #[inline(always)]
    fn index<const L: usize>(&self, at: &[usize; L]) -> usize {
        at[K]
    }
    #[inline(always)]
    fn fits(&self, _: usize) -> bool {
        true
    }
}

/// The indices from `START` to before `END` run with label `K`.
#[derive(Clone, Copy, Debug)]
pub struct Part<const K: usize, const START: usize, const END: usize>;
impl<const K: usize, const START: usize, const END: usize> Term for Part<K, START, END> {
    #[inline(always)]
    fn index<const L: usize>(&self, at: &[usize; L]) -> usize {
        START + at[K]
    }
    #[inline(always)]
    fn fits(&self, extent: usize) -> bool {
        END <= extent
    }
}

/// The axis is fixed.
#[derive(Clone, Copy, Debug)]
pub struct Fixed(pub usize);
impl Term for Fixed {
    #[inline(always)]
    fn index<const L: usize>(&self, _: &[usize; L]) -> usize {
        self.0
    }
    #[inline(always)]
    fn fits(&self, extent: usize) -> bool {
        self.0 < extent
    }
}

/// What gives a label its extent.
pub trait Counts {
    /// The extent.
    type Extent: ConstExtent;
}

/// The extent is that of axis `I` of a tensor, which is not borrowed.
#[derive(Debug)]
pub struct AxisOf<const I: usize, X>(PhantomData<X>);

/// The extent of an axis of a tensor.
pub fn axis_of<const I: usize, X>(_: &X) -> AxisOf<I, X> {
    AxisOf(PhantomData)
}

impl<const I: usize, X: Inline> Counts for AxisOf<I, X>
where
    X::Shape: Axis<I, Extent: ConstExtent>,
{
    type Extent = <X::Shape as Axis<I>>::Extent;
}

/// The extent is a literal.
impl<const N: usize> Counts for Const<N> {
    type Extent = Const<N>;
}

/// Label `K` and what gives it its extent.
#[derive(Clone, Copy, Debug)]
pub struct Over<const K: usize, E>(pub E);

/// A label and its extent.
pub trait Labelled {
    /// The label's number.
    const LABEL: usize;
    /// Its extent.
    type Extent: ConstExtent;
}
impl<const K: usize, E: Counts> Labelled for Over<K, E> {
    const LABEL: usize = K;
    type Extent = E::Extent;
}

/// The indices of all axes of a tensor of shape `S`.
pub trait Indices<S: StaticExtents> {
    /// The element at these indices.
    fn element<'t, T: Copy, const L: usize>(&self, nested: &'t S::Nested<T>, at: &[usize; L]) -> &'t T;
    /// The same, writable.
    fn element_mut<'t, T: Copy, const L: usize>(&self, nested: &'t mut S::Nested<T>, at: &[usize; L]) -> &'t mut T;
    /// Whether all indices are on their axes.
    fn fit(&self) -> bool;
}

/// Labels of a left side, each once, and the loops over them.
pub trait Labels {
    /// The shape that their extents make.
    type Shape: StaticExtents;
    /// The value of a node for each index.
    fn fill<T: Element, const L: usize>(at: [usize; L], node: &impl Node<T>) -> <Self::Shape as StaticExtents>::Nested<T>;
    /// Hands out the values again, in the same order.
    fn each<T: Copy, const L: usize>(
        values: &<Self::Shape as StaticExtents>::Nested<T>,
        at: [usize; L],
        take: &mut impl FnMut(&[usize; L], T),
    );
}

/// Goes into nested arrays, index by index.
macro_rules! element {
    ($get:ident $T:ty, $nested:expr, $at:ident;) => { $nested };
    ($get:ident $T:ty, $nested:expr, $at:ident; $E:ident $index:ident $(, $rest:ident $more:ident)*) => {
        element!($get $T, <$E>::$get::<nested!($T; $($rest),*)>($nested, $index.index($at)), $at; $($rest $more),*)
    };
}

/// One loop in the other, the innermost label's row at once.
macro_rules! fill {
    ($T:ty, $place:expr, $node:ident, $at:ident;) => { *$place = $node.value(&$at) };
    ($T:ty, $place:expr, $node:ident, $at:ident; $A:ident) => { *$place = $node.row::<$A::Extent, L>(&$at, $A::LABEL) };
    ($T:ty, $place:expr, $node:ident, $at:ident; $A:ident $(, $rest:ident)+) => {
        let place = $place;
        for index in 0..<$A::Extent as ConstExtent>::LEN {
            let mut $at = $at;
            $at[$A::LABEL] = index;
            let place = <$A::Extent>::get_mut::<nested!($T; $(<$rest as Labelled>::Extent),+)>(place, index);
            fill!($T, place, $node, $at; $($rest),+);
        }
    };
}
macro_rules! each {
    ($T:ty, $values:expr, $at:ident, $take:ident;) => { $take(&$at, *$values) };
    ($T:ty, $values:expr, $at:ident, $take:ident; $A:ident $(, $rest:ident)*) => {
        let values = $values;
        for index in 0..<$A::Extent as ConstExtent>::LEN {
            let mut $at = $at;
            $at[$A::LABEL] = index;
            let values = <$A::Extent>::get::<nested!($T; $(<$rest as Labelled>::Extent),*)>(values, index);
            each!($T, values, $at, $take; $($rest),*);
        }
    };
}

macro_rules! ranks {
    ($($($E:ident $index:ident),*;)*) => { $(
        #[allow(non_camel_case_types)]
        impl<$($E: ConstExtent, $index: Term),*> Indices<($($E,)*)> for ($($index,)*) {
            #[inline(always)]
            #[allow(unused_variables)]
            fn element<'t, T: Copy, const L: usize>(&self, nested: &'t nested!(T; $($E),*), at: &[usize; L]) -> &'t T {
                let ($($index,)*) = self;
                element!(get T, nested, at; $($E $index),*)
            }
            #[inline(always)]
            #[allow(unused_variables)]
            fn element_mut<'t, T: Copy, const L: usize>(&self, nested: &'t mut nested!(T; $($E),*), at: &[usize; L]) -> &'t mut T {
                let ($($index,)*) = self;
                element!(get_mut T, nested, at; $($E $index),*)
            }
            #[inline(always)]
            fn fit(&self) -> bool {
                let ($($index,)*) = self;
                true $(&& $index.fits($E::LEN))*
            }
        }
        impl<$($E: Labelled),*> Labels for ($($E,)*) {
            type Shape = ($($E::Extent,)*);

            #[inline(always)]
            fn fill<T: Element, const L: usize>(at: [usize; L], node: &impl Node<T>) -> nested!(T; $($E::Extent),*) {
                let mut values = Self::Shape::repeat(T::ZERO);
                fill!(T, &mut values, node, at; $($E),*);
                values
            }
            #[inline(always)]
            fn each<T: Copy, const L: usize>(
                values: &nested!(T; $($E::Extent),*),
                at: [usize; L],
                take: &mut impl FnMut(&[usize; L], T),
            ) {
                each!(T, values, at, take; $($E),*);
            }
        }
    )* };
}
ranks! {
    ;
    A a;
    A a, B b;
    A a, B b, C c;
    A a, B b, C c, D d;
    A a, B b, C c, D d, E e;
    A a, B b, C c, D d, E e, F f;
    A a, B b, C c, D d, E e, F f, G g;
    A a, B b, C c, D d, E e, F f, G g, H h;
}
