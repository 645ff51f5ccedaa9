//! Products in static expressions: by a kernel of that size, by pairwise contractions in the best order (`pairs.rs`), or by loops.
//!
//! A product of matrices of more than 64 multiplications is a call: the kernels of known size (`fixed/` of the crate
//! `tensorwrapper-cpu`) are compiled for AVX-512, AVX2 and NEON. Other processors keep the loops.
//!
//! The choice among kernels, pairs, stack space and element types is a function in a constant (here and in `pairs.rs`), not a
//! branch in code, because the compiler instantiates all code that is mentioned, even in branches that are never taken. 22
//! equations of three to six factors in three element types made it visit 1.8 million instances with branches; with constants
//! it visits 83 thousand.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use super::node::{Compute, Loops, Node, fill};
use super::pairs;
use crate::tensor::StaticTensor;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::shape::StaticExtents;
use tensorwrapper_cpu::fixed::{Factors, Fixed, Problem};

/// All values of a node, for the indices of all labels of a left side.
#[inline(always)]
pub(super) fn values<T: Element, O, G: Loops, V: Node<T, O>, const L: usize>(
    operands: &O,
) -> <G::Shape as StaticExtents>::Nested<T> {
    // One call, and the loops inside of it: between two the compiler would copy the result.
    if const { V::INNER_FORM.is_called::<G>(T::DTYPE) } {
        return StaticTensor::<T, G::Shape>::written(|place| V::write::<G, L>(operands, place)).into_nested();
    }
    G::fill::<T, O, V, L>(operands, [0; L])
}

/// The same by loops, where the processor has no kernel.
#[cold]
#[inline(never)]
fn loops<T: Element, O, G: Loops, V: Node<T, O>, const L: usize>(operands: &O) -> <G::Shape as StaticExtents>::Nested<T> {
    G::fill::<T, O, V, L>(operands, [0; L])
}

/// The values of a sum of products, into memory: by a kernel where there is one for it.
#[inline(always)]
pub(super) fn contract<'p, T: Element, O, G: Loops, V: Node<T, O>, const L: usize>(
    operands: &O,
    place: &'p mut [MaybeUninit<T>],
) -> &'p mut [T] {
    (const { Strategy::<T, O, G, V, L>::CHOSEN })(operands, place)
}

/// How a node's values are computed.
struct Strategy<T, O, G, V, const L: usize>(PhantomData<(T, O, G, V)>);

impl<T: Element, O, G: Loops, V: Node<T, O>, const L: usize> Strategy<T, O, G, V, L> {
    /// The function is a constant, so that the compiler instantiates only the chosen one of several.
    const CHOSEN: Compute<T, O> = if V::FORM.has_kernel::<G>(T::DTYPE) {
        multiplied::<T, O, G, V, L>
    } else if V::FORM.plan::<G>().is_some() {
        paired::<T, O, G, V, L>
    } else {
        fill::<T, O, G, V, L>
    };
}

/// The values by a kernel.
#[inline(always)]
fn multiplied<'p, T: Element, O, G: Loops, V: Node<T, O>, const L: usize>(
    operands: &O,
    place: &'p mut [MaybeUninit<T>],
) -> &'p mut [T] {
    match factors::<T, O, G, V, L>(operands) {
        Some(factors) => scaled::<T, O, V>(operands, factors.product(place)),
        None => place.write_copy_of_slice(<G::Shape as StaticExtents>::slice(&loops::<T, O, G, V, L>(operands))),
    }
}

/// The values by pairs.
#[inline(always)]
fn paired<'p, T: Element, O, G: Loops, V: Node<T, O>, const L: usize>(
    operands: &O,
    place: &'p mut [MaybeUninit<T>],
) -> &'p mut [T] {
    scaled::<T, O, V>(operands, pairs::product::<T, O, G, V, L>(operands, place))
}

/// Values of a product without its numbers, with them.
#[inline(always)]
fn scaled<'p, T: Element, O, V: Node<T, O>>(operands: &O, values: &'p mut [T]) -> &'p mut [T] {
    if const { V::IS_SCALED } {
        let scale = V::scale(operands);
        values.iter_mut().for_each(|value| *value = scale * *value);
    }
    values
}

/// The factors of a product that there is a kernel for, unless the processor has none.
#[inline(always)]
fn factors<'o, T: Element, O, G: Loops, V: Node<T, O>, const L: usize>(operands: &'o O) -> Option<FactorsOf<'o, V, G, T, O>> {
    let (left, right) = (V::factor::<L>(operands, 0), V::factor::<L>(operands, 1));
    let is_swapped = const { V::FORM.matched::<G>(T::DTYPE).1 };
    if is_swapped { Factors::new(right, left) } else { Factors::new(left, right) }
}

/// The factors of a node.
type FactorsOf<'o, V, G, T, O> = Factors<'o, Matched<V, G, (T, O)>, T>;

/// The problem that a node is.
struct Matched<V, G, X>(PhantomData<(V, G, X)>);
impl<T: Element, O, G: Loops, V: Node<T, O>> Fixed for Matched<V, G, (T, O)> {
    const PROBLEM: Problem = V::FORM.matched::<G>(T::DTYPE).0;
}
