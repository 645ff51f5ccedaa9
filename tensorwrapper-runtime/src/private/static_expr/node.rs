//! The traits of the tree: nodes, and the loops in which their values are computed. The two traits need each other, and know no
//! particular node.

use std::mem::MaybeUninit;

use super::form::ProductForm;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::shape::{ConstExtent, StaticExtents};

/// A node of a right side, over elements of type `T` and operands `O`.
pub trait Node<T: Element, O>: Sized {
    /// Its form as a sum of products, if it has one.
    const FORM: ProductForm = ProductForm::Other;
    /// The form of the first sum of products inside it.
    const INNER_FORM: ProductForm = ProductForm::Other;
    /// Whether numbers scale the elements in it.
    const IS_SCALED: bool = false;
    /// Its value at indices of all labels.
    fn value<const L: usize>(operands: &O, at: &[usize; L]) -> T;
    /// Its values along one label. Sums add whole rows, which the compiler makes vectors of.
    #[inline(always)]
    fn row<E: ConstExtent, const L: usize>(operands: &O, at: &[usize; L], label: usize) -> E::Array<T> {
        let (mut row, mut at) = (E::repeat(T::ZERO), *at);
        for index in 0..E::LEN {
            at[label] = index;
            *E::get_mut(&mut row, index) = Self::value(operands, &at);
        }
        row
    }
    /// All its values for the indices of a left side, into memory for them.
    #[inline(always)]
    fn write<'p, G: Loops, const L: usize>(operands: &O, place: &'p mut [MaybeUninit<T>]) -> &'p mut [T] {
        fill::<T, O, G, Self, L>(operands, place)
    }
    /// The elements of a factor of a product, from the first that is read.
    #[inline(always)]
    fn factor<const L: usize>(_operands: &O, _number: usize) -> &[T] {
        &[]
    }
    /// The numbers in it, multiplied.
    #[inline(always)]
    fn scale(_operands: &O) -> T {
        T::ONE
    }
    /// Whether it can be computed without an error: all indices are in range, and no `max` or `min` is over nothing or over
    /// complex numbers.
    fn fits(operands: &O) -> bool;
}

/// Nested loops over labels.
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
    /// Calls `take` with each value and its indices, in the same order.
    fn each<T: Copy, const L: usize>(
        values: &<Self::Shape as StaticExtents>::Nested<T>,
        at: [usize; L],
        take: &mut impl FnMut(&[usize; L], T),
    );
}

/// All values of a node, for the indices of all labels of a left side, into memory.
#[inline(always)]
pub(super) fn fill<'p, T: Element, O, G: Loops, V: Node<T, O>, const L: usize>(
    operands: &O,
    place: &'p mut [MaybeUninit<T>],
) -> &'p mut [T] {
    place.write_copy_of_slice(<G::Shape as StaticExtents>::slice(&G::fill::<T, O, V, L>(operands, [0; L])))
}

/// Computes values into memory for them.
pub(super) type Compute<T, O> = for<'p> fn(&O, &'p mut [MaybeUninit<T>]) -> &'p mut [T];
