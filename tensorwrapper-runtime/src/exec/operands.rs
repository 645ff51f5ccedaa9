//! Operands of run-time calls, with their types erased.

use smallvec::SmallVec;

use crate::expr::{OperandData, TensorLike};
use crate::tensor::AnyRef;
use tensorwrapper_core::Numeric;
use tensorwrapper_core::element::Element;

/// An operand of [`einsum`](crate::einsum) or [`contract`](crate::contract): a tensor, a view or a recorded result of element
/// type `T`, of any shape type. Implemented for everything that `tensor!` can index.
pub trait DynOperand<T> {
    #[doc(hidden)]
    fn dyn_operand(&self) -> DynValue<'_>;
}

/// An operand without its shape type.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct DynValue<'a>(pub(super) OperandData<'a>);

impl<T: Numeric, X: TensorLike<Elem = T>> DynOperand<T> for X {
    fn dyn_operand(&self) -> DynValue<'_> {
        DynValue(self.operand().given)
    }
}

/// A tensor of any element type and any shape type.
pub trait AnyOperand {
    #[doc(hidden)]
    fn any_operand(&self) -> DynValue<'_>;
}

impl<X: TensorLike<Elem: Element>> AnyOperand for X {
    fn any_operand(&self) -> DynValue<'_> {
        DynValue(self.operand().given)
    }
}

/// A tensor whose element type is known only at run time, as an operand.
pub(crate) struct Erased<'a>(pub(crate) AnyRef<'a>);

impl AnyOperand for Erased<'_> {
    fn any_operand(&self) -> DynValue<'_> {
        DynValue(OperandData::Elements(self.0.data, &self.0.layout))
    }
}

/// The operands of a call. Short lists need no allocation, so that small calls are fast.
pub(super) fn given<'a, T>(operands: &[&'a dyn DynOperand<T>]) -> SmallVec<[OperandData<'a>; 6]> {
    let mut given = SmallVec::new();
    operands.iter().for_each(|operand| given.push(operand.dyn_operand().0));
    given
}
