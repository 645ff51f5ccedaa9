//! Indices of operands and extents of labels, as types: what the straight code of an equation loops over.
//!
//! Labels are numbered; where a loop stands, `at[K]` is the index of label `K`.

use std::marker::PhantomData;

use super::Node;
use crate::exec::Number;
use crate::tensor::StaticTensor;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::shape::{Axis, ConstExtent, StaticExtents, nested};

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

/// Operand `N` of nested pairs.
pub trait Nth<const N: usize> {
    /// Its type.
    type Item;
    /// The operand.
    fn nth(&self) -> &Self::Item;
}
macro_rules! nth {
    ($($N:literal: [$($before:ident)*] [$($field:tt)*];)*) => { $(
        impl<$($before,)* X, R> Nth<$N> for nth!(@pairs $($before)*) {
            type Item = X;
            #[inline(always)]
            fn nth(&self) -> &X {
                &self $(.$field)* .0
            }
        }
    )* };
    (@pairs) => { (X, R) };
    (@pairs $A:ident $($rest:ident)*) => { ($A, nth!(@pairs $($rest)*)) };
}
nth! {
    0: [] [];
    1: [A] [1];
    2: [A B] [1 1];
    3: [A B C] [1 1 1];
    4: [A B C D] [1 1 1 1];
    5: [A B C D E] [1 1 1 1 1];
    6: [A B C D E F] [1 1 1 1 1 1];
    7: [A B C D E F G] [1 1 1 1 1 1 1];
    8: [A B C D E F G H] [1 1 1 1 1 1 1 1];
    9: [A B C D E F G H I] [1 1 1 1 1 1 1 1 1];
    10: [A B C D E F G H I J] [1 1 1 1 1 1 1 1 1 1];
    11: [A B C D E F G H I J K] [1 1 1 1 1 1 1 1 1 1 1];
    12: [A B C D E F G H I J K L] [1 1 1 1 1 1 1 1 1 1 1 1];
    13: [A B C D E F G H I J K L M] [1 1 1 1 1 1 1 1 1 1 1 1 1];
    14: [A B C D E F G H I J K L M N] [1 1 1 1 1 1 1 1 1 1 1 1 1 1];
    15: [A B C D E F G H I J K L M N O] [1 1 1 1 1 1 1 1 1 1 1 1 1 1 1];
}

/// The index of one axis of an operand.
pub trait Term<O> {
    /// The same, without the operands.
    type Place: Place;
    /// Reads what the program gives.
    fn place(operands: &O) -> Self::Place;
}

/// An index of which everything is known but where its label stands.
pub trait Place {
    /// The label that the axis runs with, if it does.
    const LABEL: Option<usize>;
    /// The index on the axis.
    fn index<const L: usize>(&self, at: &[usize; L]) -> usize;
    /// Whether it is on an axis of this extent, wherever its label stands.
    fn fits(&self, extent: usize) -> bool;
}

/// The axis runs with label `K`.
#[derive(Clone, Copy, Debug)]
pub struct Run<const K: usize>;
impl<const K: usize> Place for Run<K> {
    const LABEL: Option<usize> = Some(K);
    #[inline(always)]
    fn index<const L: usize>(&self, at: &[usize; L]) -> usize {
        at[K]
    }
    #[inline(always)]
    fn fits(&self, _: usize) -> bool {
        true
    }
}
impl<O, const K: usize> Term<O> for Run<K> {
    type Place = Self;
    #[inline(always)]
    fn place(_: &O) -> Self {
        Run
    }
}

/// The indices from `START` to before `END` run with label `K`.
#[derive(Clone, Copy, Debug)]
pub struct Part<const K: usize, const START: usize, const END: usize>;
impl<const K: usize, const START: usize, const END: usize> Place for Part<K, START, END> {
    const LABEL: Option<usize> = Some(K);
    #[inline(always)]
    fn index<const L: usize>(&self, at: &[usize; L]) -> usize {
        START + at[K]
    }
    #[inline(always)]
    fn fits(&self, extent: usize) -> bool {
        END <= extent
    }
}
impl<O, const K: usize, const START: usize, const END: usize> Term<O> for Part<K, START, END> {
    type Place = Self;
    #[inline(always)]
    fn place(_: &O) -> Self {
        Part
    }
}

/// A position on an axis.
#[derive(Clone, Copy, Debug)]
pub struct Position(usize);
impl Place for Position {
    const LABEL: Option<usize> = None;
    #[inline(always)]
    fn index<const L: usize>(&self, _: &[usize; L]) -> usize {
        self.0
    }
    #[inline(always)]
    fn fits(&self, extent: usize) -> bool {
        self.0 < extent
    }
}

/// The axis is fixed at a literal position.
#[derive(Debug)]
pub struct At<const POSITION: usize>;
impl<O, const POSITION: usize> Term<O> for At<POSITION> {
    type Place = Position;
    #[inline(always)]
    fn place(_: &O) -> Position {
        Position(POSITION)
    }
}

/// The axis is fixed at the position that operand `N` is.
#[derive(Debug)]
pub struct AtGiven<const N: usize>;
impl<O: Nth<N, Item = Number>, const N: usize> Term<O> for AtGiven<N> {
    type Place = Position;
    #[inline(always)]
    fn place(operands: &O) -> Position {
        match operands.nth() {
            Number::Count(position) => Position(*position),
            other => unreachable!("{other:?} is no position"),
        }
    }
}

/// What gives a label its extent: an extent is its own.
pub trait Counts<O> {
    /// The extent.
    type Extent: ConstExtent;
}
impl<O, E: ConstExtent> Counts<O> for E {
    type Extent = E;
}

/// The extent is that of axis `I` of operand `N`.
#[derive(Debug)]
pub struct AxisOf<const N: usize, const I: usize>;
impl<O: Nth<N, Item: Inline>, const N: usize, const I: usize> Counts<O> for AxisOf<N, I>
where
    <O::Item as Inline>::Shape: Axis<I, Extent: ConstExtent>,
{
    type Extent = <<O::Item as Inline>::Shape as Axis<I>>::Extent;
}

/// Label `K` and what gives it its extent.
#[derive(Debug)]
pub struct Over<const K: usize, E>(PhantomData<E>);

/// A label.
pub trait Label<O> {
    /// The label and its extent.
    type Loop: Loop;
}
impl<O, const K: usize, E: Counts<O>> Label<O> for Over<K, E> {
    type Loop = Over<K, E::Extent>;
}

/// A label and its extent.
pub trait Loop {
    /// The label's number.
    const LABEL: usize;
    /// Its extent.
    type Extent: ConstExtent;
}
impl<const K: usize, E: ConstExtent> Loop for Over<K, E> {
    const LABEL: usize = K;
    type Extent = E;
}

/// The indices of all axes of an operand.
pub trait Terms<O> {
    /// The same, without the operands.
    type Places;
    /// Reads what the program gives.
    fn places(operands: &O) -> Self::Places;
}

/// The indices of all axes of a tensor of shape `S`.
pub trait Indices<S: StaticExtents> {
    /// The label that each axis runs with.
    const LABELS: &'static [Option<usize>];
    /// Where the element at these indices stands in C order.
    fn position<const L: usize>(&self, at: &[usize; L]) -> usize;
    /// The element at these indices.
    fn element<'t, T: Copy, const L: usize>(&self, nested: &'t S::Nested<T>, at: &[usize; L]) -> &'t T;
    /// The same, writable.
    fn element_mut<'t, T: Copy, const L: usize>(&self, nested: &'t mut S::Nested<T>, at: &[usize; L]) -> &'t mut T;
    /// Whether all indices are on their axes.
    fn fit(&self) -> bool;
}

/// Labels of a left side, each once.
pub trait Labels<O> {
    /// The labels and their extents.
    type Loops: Loops;
}

/// Loops over labels, one in the other.
pub trait Loops {
    /// The shape that their extents make.
    type Shape: StaticExtents;
    /// The labels' numbers.
    const LABELS: &'static [usize];
    /// The value of a node for each index.
    fn fill<T: Element, O, V: Node<T, O>, const L: usize>(
        operands: &O,
        at: [usize; L],
    ) -> <Self::Shape as StaticExtents>::Nested<T>;
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
    ($T:ty, $place:expr, $operands:ident, $at:ident;) => { *$place = V::value($operands, &$at) };
    ($T:ty, $place:expr, $operands:ident, $at:ident; $A:ident) => {
        *$place = V::row::<$A::Extent, L>($operands, &$at, $A::LABEL)
    };
    ($T:ty, $place:expr, $operands:ident, $at:ident; $A:ident $(, $rest:ident)+) => {
        let place = $place;
        for index in 0..<$A::Extent as ConstExtent>::LEN {
            let mut $at = $at;
            $at[$A::LABEL] = index;
            let place = <$A::Extent>::get_mut::<nested!($T; $(<$rest as Loop>::Extent),+)>(place, index);
            fill!($T, place, $operands, $at; $($rest),+);
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
            let values = <$A::Extent>::get::<nested!($T; $(<$rest as Loop>::Extent),*)>(values, index);
            each!($T, values, $at, $take; $($rest),*);
        }
    };
}

macro_rules! ranks {
    ($($($E:ident $index:ident),*;)*) => { $(
        impl<O, $($E: Term<O>),*> Terms<O> for ($($E,)*) {
            type Places = ($($E::Place,)*);
            #[inline(always)]
            #[allow(unused_variables, clippy::unused_unit)]
            fn places(operands: &O) -> Self::Places {
                ($($E::place(operands),)*)
            }
        }
        impl<O, $($E: Label<O>),*> Labels<O> for ($($E,)*) {
            type Loops = ($($E::Loop,)*);
        }
        #[allow(non_camel_case_types)]
        impl<$($E: ConstExtent, $index: Place),*> Indices<($($E,)*)> for ($($index,)*) {
            const LABELS: &'static [Option<usize>] = &[$($index::LABEL),*];
            #[inline(always)]
            #[allow(unused_variables)]
            fn position<const L: usize>(&self, at: &[usize; L]) -> usize {
                let ($($index,)*) = self;
                let position = 0;
                $(let position = position * $E::LEN + $index.index(at);)*
                position
            }
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
        impl<$($E: Loop),*> Loops for ($($E,)*) {
            type Shape = ($($E::Extent,)*);
            const LABELS: &'static [usize] = &[$($E::LABEL),*];

            #[inline(always)]
            fn fill<T: Element, O, V: Node<T, O>, const L: usize>(operands: &O, at: [usize; L]) -> nested!(T; $($E::Extent),*) {
                let mut values = Self::Shape::repeat(T::ZERO);
                fill!(T, &mut values, operands, at; $($E),*);
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
