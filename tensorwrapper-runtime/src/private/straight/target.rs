//! What becomes of the values of straight code: a number, a new static tensor, or a part of an existing one.

use super::super::results::WriteInto;
use super::Node;
use super::indices::{Indices, Inline, Labels};
use crate::element::Element;
use crate::shape::StaticExtents;
use crate::tensor::StaticTensor;

/// The left side of an equation.
pub trait Target<T: Element> {
    /// The value of the macro, and what is to be written.
    type Outcome;
    /// Computes all values.
    fn compute<const L: usize>(self, value: &impl Node<T>) -> Self::Outcome;
    /// Whether all positions of the left side are on their axes.
    fn fits(&self) -> bool;
}

/// A plain number.
#[derive(Clone, Copy, Debug)]
pub struct ToNumber;
impl<T: Element> Target<T> for ToNumber {
    type Outcome = (T, ());
    #[inline(always)]
    fn compute<const L: usize>(self, value: &impl Node<T>) -> (T, ()) {
        (value.value(&[0; L]), ())
    }
    #[inline(always)]
    fn fits(&self) -> bool {
        true
    }
}

/// A new tensor, its axes these labels.
#[derive(Clone, Copy, Debug)]
pub struct ToTensor<G>(pub G);
impl<T: Element, G: Labels> Target<T> for ToTensor<G> {
    type Outcome = (StaticTensor<T, G::Shape>, ());
    #[inline(always)]
    fn compute<const L: usize>(self, value: &impl Node<T>) -> Self::Outcome {
        (StaticTensor::from_nested(G::fill([0; L], value)), ())
    }
    #[inline(always)]
    fn fits(&self) -> bool {
        true
    }
}

/// A new tensor with a label on several axes: the labels, the index of each axis and what gives it its extent. Zero
/// beside the diagonal.
#[derive(Clone, Copy, Debug)]
pub struct ToDiagonal<G, I, E>(pub G, pub I, pub E);
impl<T: Element, G: Labels, I, E: Labels> Target<T> for ToDiagonal<G, I, E>
where
    I: Indices<E::Shape>,
{
    type Outcome = (StaticTensor<T, E::Shape>, ());
    #[inline(always)]
    fn compute<const L: usize>(self, value: &impl Node<T>) -> Self::Outcome {
        let values = G::fill([0; L], value);
        let mut tensor = StaticTensor::zeros();
        scatter::<T, G, I, E::Shape, L>(&values, &self.1, &mut tensor);
        (tensor, ())
    }
    #[inline(always)]
    fn fits(&self) -> bool {
        true
    }
}

/// A part of an existing tensor: the labels, the tensor, and its indices. `N` is the number of labels.
#[derive(Clone, Copy, Debug)]
pub struct ToPlace<'a, const N: usize, G, X, I>(pub G, pub &'a X, pub I);
impl<const N: usize, T: Element, G: Labels, X: Inline, I: Indices<X::Shape>> Target<T> for ToPlace<'_, N, G, X, I> {
    type Outcome = ((), (StraightPatch<N, T, G, I>,));
    #[inline(always)]
    fn compute<const L: usize>(self, value: &impl Node<T>) -> Self::Outcome {
        let values = G::fill([0; L], value);
        ((), (StraightPatch { values, indices: self.2 },))
    }
    #[inline(always)]
    fn fits(&self) -> bool {
        self.2.fit()
    }
}

/// Computed values, and where in a static tensor they go.
#[allow(missing_debug_implementations)]
pub struct StraightPatch<const L: usize, T: Element, G: Labels, I> {
    values: <G::Shape as StaticExtents>::Nested<T>,
    indices: I,
}

#[diagnostic::do_not_recommend]
impl<const L: usize, T: Element, G: Labels, I: Indices<S>, S: StaticExtents> WriteInto<StaticTensor<T, S>>
    for StraightPatch<L, T, G, I>
{
    #[inline(always)]
    fn write(self, target: &mut StaticTensor<T, S>) {
        scatter::<T, G, I, S, L>(&self.values, &self.indices, target);
    }
}

#[diagnostic::do_not_recommend]
impl<const L: usize, T: Element, G: Labels, I, X> WriteInto<&mut X> for StraightPatch<L, T, G, I>
where
    StraightPatch<L, T, G, I>: WriteInto<X>,
{
    #[inline(always)]
    fn write(self, target: &mut &mut X) {
        self.write(&mut **target);
    }
}

/// Puts each value in its place.
#[inline(always)]
fn scatter<T: Element, G: Labels, I: Indices<S>, S: StaticExtents, const L: usize>(
    values: &<G::Shape as StaticExtents>::Nested<T>,
    indices: &I,
    target: &mut StaticTensor<T, S>,
) {
    let target = target.nested_mut();
    G::each(values, [0; L], &mut |at, value| *indices.element_mut(target, at) = value);
}
