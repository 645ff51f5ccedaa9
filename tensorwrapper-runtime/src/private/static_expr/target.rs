//! The targets of the values of a static expression: a number, a new static tensor, or a part of an existing one.

use super::super::results::WriteInto;
use super::node::{Loops, Node};
use std::marker::PhantomData;

use super::indices::{IndexList, Indices, LabelLoops, Nth, StaticOperand};
use super::product::values;
use crate::tensor::StaticTensor;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::shape::StaticExtents;

/// The left side of an equation over operands `O`.
pub trait Target<T: Element, O> {
    /// The value of the macro, or that and what is to be written.
    type Outcome;
    /// Computes all values.
    fn compute<V: Node<T, O>, const L: usize>(operands: &O) -> Self::Outcome;
    /// Whether all positions of the left side are on their axes.
    fn fits(operands: &O) -> bool;
}

/// A plain number.
#[derive(Debug)]
pub struct ToNumber;
impl<T: Element, O> Target<T, O> for ToNumber {
    type Outcome = T;
    #[inline(always)]
    fn compute<V: Node<T, O>, const L: usize>(operands: &O) -> T {
        values::<T, O, (), V, L>(operands)
    }
    #[inline(always)]
    fn fits(_: &O) -> bool {
        true
    }
}

/// A new tensor, its axes these labels.
#[derive(Debug)]
pub struct ToTensor<G>(PhantomData<G>);
impl<T: Element, O, G: LabelLoops<O>> Target<T, O> for ToTensor<G> {
    type Outcome = StaticTensor<T, <G::Loops as Loops>::Shape>;
    #[inline(always)]
    fn compute<V: Node<T, O>, const L: usize>(operands: &O) -> Self::Outcome {
        StaticTensor::from_nested(values::<T, O, G::Loops, V, L>(operands))
    }
    #[inline(always)]
    fn fits(_: &O) -> bool {
        true
    }
}

/// A new tensor with a label on several axes: the labels, the index of each axis and the source of its extent. It is zero
/// outside the diagonal.
#[derive(Debug)]
pub struct ToDiagonal<G, I, E>(PhantomData<(G, I, E)>);
impl<T: Element, O, G: LabelLoops<O>, I: IndexList<O>, E: LabelLoops<O>> Target<T, O> for ToDiagonal<G, I, E>
where
    I::Resolved: Indices<<E::Loops as Loops>::Shape>,
{
    type Outcome = StaticTensor<T, <E::Loops as Loops>::Shape>;
    #[inline(always)]
    fn compute<V: Node<T, O>, const L: usize>(operands: &O) -> Self::Outcome {
        let values = values::<T, O, G::Loops, V, L>(operands);
        let mut tensor = StaticTensor::zeros();
        scatter::<T, G::Loops, _, _, L>(&values, &I::resolve(operands), &mut tensor);
        tensor
    }
    #[inline(always)]
    fn fits(_: &O) -> bool {
        true
    }
}

/// A part of an existing tensor: the number of labels, the labels on it, the operand that it is, and its indices.
#[derive(Debug)]
pub struct ToPlace<const L: usize, G, const N: usize, I>(PhantomData<(G, I)>);
impl<T: Element, O: Nth<N, Item: StaticOperand>, G: LabelLoops<O>, I: IndexList<O>, const N: usize, const ALL: usize> Target<T, O>
    for ToPlace<ALL, G, N, I>
where
    I::Resolved: Indices<<O::Item as StaticOperand>::Shape>,
{
    type Outcome = ((), (StaticPatch<ALL, T, G::Loops, I::Resolved>,));
    #[inline(always)]
    fn compute<V: Node<T, O>, const L: usize>(operands: &O) -> Self::Outcome {
        let values = values::<T, O, G::Loops, V, L>(operands);
        ((), (StaticPatch { values, indices: I::resolve(operands) },))
    }
    #[inline(always)]
    fn fits(operands: &O) -> bool {
        I::resolve(operands).fit()
    }
}

/// Computed values, and where in a static tensor they go.
#[allow(missing_debug_implementations)]
pub struct StaticPatch<const L: usize, T: Element, G: Loops, I> {
    values: <G::Shape as StaticExtents>::Nested<T>,
    indices: I,
}

#[diagnostic::do_not_recommend]
impl<const L: usize, T: Element, G: Loops, I: Indices<S>, S: StaticExtents> WriteInto<StaticTensor<T, S>>
    for StaticPatch<L, T, G, I>
{
    #[inline(always)]
    fn write(self, target: &mut StaticTensor<T, S>) {
        scatter::<T, G, I, S, L>(&self.values, &self.indices, target);
    }
}

#[diagnostic::do_not_recommend]
impl<const L: usize, T: Element, G: Loops, I, X> WriteInto<&mut X> for StaticPatch<L, T, G, I>
where
    StaticPatch<L, T, G, I>: WriteInto<X>,
{
    #[inline(always)]
    fn write(self, target: &mut &mut X) {
        self.write(&mut **target);
    }
}

/// Puts each value in its place.
#[inline(always)]
pub(super) fn scatter<T: Element, G: Loops, I: Indices<S>, S: StaticExtents, const L: usize>(
    values: &<G::Shape as StaticExtents>::Nested<T>,
    indices: &I,
    target: &mut StaticTensor<T, S>,
) {
    let target = target.nested_mut();
    G::each(values, [0; L], &mut |at, value| *indices.element_mut(target, at) = value);
}
