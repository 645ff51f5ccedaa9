//! Indices of operands and extents of labels, as types: what a static expression loops over.
//!
//! Labels are numbered; `at[K]` is the current index of label `K` in the loops.

use std::marker::PhantomData;

use super::node::{Loops, Node};
use crate::exec::Number;
use crate::tensor::StaticTensor;
use tensorwrapper_core::element::{Element, MixesWith};
use tensorwrapper_core::shape::{Axis, ConstExtent, StaticExtents, nested};

/// A static tensor, or a reference to one.
pub trait StaticOperand {
    /// The element type.
    type Elem: Element;
    /// The shape type.
    type Shape: StaticExtents;
    /// The tensor.
    fn tensor(&self) -> &StaticTensor<Self::Elem, Self::Shape>;
}
impl<T: Element, S: StaticExtents> StaticOperand for StaticTensor<T, S> {
    type Elem = T;
    type Shape = S;
    #[inline(always)]
    fn tensor(&self) -> &StaticTensor<T, S> {
        self
    }
}
macro_rules! references {
    ($($X:ty),*) => { $(
        impl<X: StaticOperand + ?Sized> StaticOperand for $X {
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
/// The element type of an equation, from those of its operands.
pub trait ElementFrom<O> {
    /// The element type.
    type Elem: Element;
}

/// The element type of operand `N`.
#[derive(Debug)]
pub struct ElementOfOperand<const N: usize>;
impl<O: Nth<N, Item: StaticOperand>, const N: usize> ElementFrom<O> for ElementOfOperand<N> {
    type Elem = <O::Item as StaticOperand>::Elem;
}

/// What the element type of operand `N` and the one from others are mixed to.
#[derive(Debug)]
pub struct MixedWith<const N: usize, E>(PhantomData<E>);
impl<O, E, const N: usize> ElementFrom<O> for MixedWith<N, E>
where
    E: ElementFrom<O>,
    O: Nth<N, Item: StaticOperand>,
    E::Elem: MixesWith<<O::Item as StaticOperand>::Elem, Mixed: Element>,
{
    type Elem = <E::Elem as MixesWith<<O::Item as StaticOperand>::Elem>>::Mixed;
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

/// The index of one axis of an operand, before the program's numbers in it are read.
pub trait IndexExpr<O> {
    /// The index with those numbers.
    type Resolved: AxisIndex;
    /// Reads the program's numbers.
    fn resolve(operands: &O) -> Self::Resolved;
}

/// The index of one axis, as a function of the current index of each label.
pub trait AxisIndex {
    /// The label that the axis runs with, if it has one.
    const LABEL: Option<usize>;
    /// The index on the axis.
    fn index<const L: usize>(&self, at: &[usize; L]) -> usize;
    /// Whether it is on an axis of this extent for every index of its label.
    fn fits(&self, extent: usize) -> bool;
}

/// The axis runs with label `K`.
#[derive(Clone, Copy, Debug)]
pub struct LabelIndex<const K: usize>;
impl<const K: usize> AxisIndex for LabelIndex<K> {
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
impl<O, const K: usize> IndexExpr<O> for LabelIndex<K> {
    type Resolved = Self;
    #[inline(always)]
    fn resolve(_: &O) -> Self {
        LabelIndex
    }
}

/// The indices from `START` to before `END` run with label `K`.
#[derive(Clone, Copy, Debug)]
pub struct SliceIndex<const K: usize, const START: usize, const END: usize>;
impl<const K: usize, const START: usize, const END: usize> AxisIndex for SliceIndex<K, START, END> {
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
impl<O, const K: usize, const START: usize, const END: usize> IndexExpr<O> for SliceIndex<K, START, END> {
    type Resolved = Self;
    #[inline(always)]
    fn resolve(_: &O) -> Self {
        SliceIndex
    }
}

/// A position on an axis.
#[derive(Clone, Copy, Debug)]
pub struct FixedIndex(usize);
impl AxisIndex for FixedIndex {
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
pub struct ConstIndex<const POSITION: usize>;
impl<O, const POSITION: usize> IndexExpr<O> for ConstIndex<POSITION> {
    type Resolved = FixedIndex;
    #[inline(always)]
    fn resolve(_: &O) -> FixedIndex {
        FixedIndex(POSITION)
    }
}

/// The axis is fixed at the position that operand `N` is.
#[derive(Debug)]
pub struct CaptureIndex<const N: usize>;
impl<'n, O: Nth<N, Item = &'n Number>, const N: usize> IndexExpr<O> for CaptureIndex<N> {
    type Resolved = FixedIndex;
    #[inline(always)]
    fn resolve(operands: &O) -> FixedIndex {
        match operands.nth() {
            Number::Count(position) => FixedIndex(*position),
            other => unreachable!("{other:?} is no position"),
        }
    }
}

/// The source of a label's extent: an extent is its own.
pub trait ExtentSource<O> {
    /// The extent.
    type Extent: ConstExtent;
}
impl<O, E: ConstExtent> ExtentSource<O> for E {
    type Extent = E;
}

/// The extent is that of axis `I` of operand `N`.
#[derive(Debug)]
pub struct AxisExtent<const N: usize, const I: usize>;
impl<O: Nth<N, Item: StaticOperand>, const N: usize, const I: usize> ExtentSource<O> for AxisExtent<N, I>
where
    <O::Item as StaticOperand>::Shape: Axis<I, Extent: ConstExtent>,
{
    type Extent = <<O::Item as StaticOperand>::Shape as Axis<I>>::Extent;
}

/// Label `K` and the source of its extent.
#[derive(Debug)]
pub struct LabelExtent<const K: usize, E>(PhantomData<E>);

/// A label whose extent is known.
pub trait LabelLoop<O> {
    /// The label and its extent.
    type Loop: Loop;
}
impl<O, const K: usize, E: ExtentSource<O>> LabelLoop<O> for LabelExtent<K, E> {
    type Loop = LabelExtent<K, E::Extent>;
}

/// A label and its extent.
pub trait Loop {
    /// The label's number.
    const LABEL: usize;
    /// Its extent.
    type Extent: ConstExtent;
}
impl<const K: usize, E: ConstExtent> Loop for LabelExtent<K, E> {
    const LABEL: usize = K;
    type Extent = E;
}

/// The indices of all axes of an operand, before the program's numbers in them are read.
pub trait IndexList<O> {
    /// The indices with those numbers.
    type Resolved;
    /// Reads the program's numbers.
    fn resolve(operands: &O) -> Self::Resolved;
}

/// The indices of all axes of a tensor of shape `S`.
pub trait Indices<S: StaticExtents> {
    /// The label that each axis runs with.
    const LABELS: &'static [Option<usize>];
    /// The position of the element at these indices in C order.
    fn position<const L: usize>(&self, at: &[usize; L]) -> usize;
    /// The element at these indices.
    fn element<'t, T: Copy, const L: usize>(&self, nested: &'t S::Nested<T>, at: &[usize; L]) -> &'t T;
    /// The same, writable.
    fn element_mut<'t, T: Copy, const L: usize>(&self, nested: &'t mut S::Nested<T>, at: &[usize; L]) -> &'t mut T;
    /// Whether all indices are on their axes.
    fn fit(&self) -> bool;
}

/// Labels of a left side, each once.
pub trait LabelLoops<O> {
    /// The labels and their extents.
    type Loops: Loops;
}

/// Accesses an element of nested arrays, index by index.
macro_rules! element {
    ($get:ident $T:ty, $nested:expr, $at:ident;) => { $nested };
    ($get:ident $T:ty, $nested:expr, $at:ident; $E:ident $index:ident $(, $rest:ident $more:ident)*) => {
        element!($get $T, <$E>::$get::<nested!($T; $($rest),*)>($nested, $index.index($at)), $at; $($rest $more),*)
    };
}

/// Nested loops; the innermost label's row is computed at once.
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
        impl<O, $($E: IndexExpr<O>),*> IndexList<O> for ($($E,)*) {
            type Resolved = ($($E::Resolved,)*);
            #[inline(always)]
            #[allow(unused_variables, clippy::unused_unit)]
            fn resolve(operands: &O) -> Self::Resolved {
                ($($E::resolve(operands),)*)
            }
        }
        impl<O, $($E: LabelLoop<O>),*> LabelLoops<O> for ($($E,)*) {
            type Loops = ($($E::Loop,)*);
        }
        #[allow(non_camel_case_types)]
        impl<$($E: ConstExtent, $index: AxisIndex),*> Indices<($($E,)*)> for ($($index,)*) {
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
