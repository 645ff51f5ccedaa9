//! Choices of static expressions: `select(C; X, Y)`.

use std::marker::PhantomData;

use tensorwrapper_notation::Comparison;

use super::node::Node;
use tensorwrapper_core::backend::compare;
use tensorwrapper_core::element::Element;

/// A comparison as 1 or 0, by its position among all comparisons.
pub struct Compare<const C: usize, A, B>(PhantomData<(A, B)>);
impl<T: Element, O, A: Node<T, O>, B: Node<T, O>, const C: usize> Node<T, O> for Compare<C, A, B> {
    #[inline(always)]
    fn value<const L: usize>(operands: &O, at: &[usize; L]) -> T {
        let (a, b) = (A::value(operands, at), B::value(operands, at));
        compare::truth(compare::holds(const { Comparison::ALL[C] }, a, b))
    }
    // Of complex numbers the recording knows which are real.
    #[inline(always)]
    fn fits(operands: &O) -> bool {
        !(const { Comparison::ALL[C].orders() } && T::DTYPE.is_complex()) && A::fits(operands) && B::fits(operands)
    }
}

/// The first value where a condition is not 0, the second one elsewhere.
pub struct Select<C, A, B>(PhantomData<(C, A, B)>);
impl<T: Element, O, C: Node<T, O>, A: Node<T, O>, B: Node<T, O>> Node<T, O> for Select<C, A, B> {
    #[inline(always)]
    fn value<const L: usize>(operands: &O, at: &[usize; L]) -> T {
        compare::select(C::value(operands, at), A::value(operands, at), B::value(operands, at))
    }
    #[inline(always)]
    fn fits(operands: &O) -> bool {
        C::fits(operands) && A::fits(operands) && B::fits(operands)
    }
}
