//! What stands beside a whole tensor: another one, owned, borrowed or a view, or a number for all elements.

use tensorwrapper_core::element::Element;
use tensorwrapper_core::shape::{Extents, Shape, StaticExtents};
use tensorwrapper_core::stored::Stored;

use crate::tensor::{StaticTensor, Tensor, TensorRef};

/// A tensor beside another one: owned, borrowed, or a view.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tensor of `{T}`",
    label = "not a tensor of that type",
    note = "the elements of both are of one type: `a.cast()?` converts a tensor; an array of elements becomes one by `Tensor::from_array([0, 2])?`"
)]
pub trait WholeOperand<T: Stored> {
    #[doc(hidden)]
    fn read(&self) -> TensorRef<'_, T>;
}

/// What can stand beside a tensor in `a + b` and `a.less(b)`: a tensor of the same extents, owned, borrowed or a view, or a number for all
/// elements. Nothing is broadcast. Where the compiler knows the extents, others are a compile error.
///
/// # Panics
/// An operator, if extents that are known only at run time differ, and if the system has no memory for the result, as an equation in
/// [`tensor!`](crate) does. An equation in `try_tensor!` returns such faults as errors, and computes a whole expression at once, without
/// intermediate results.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not combined with a tensor of `{T}` element by element",
    label = "not a tensor or a number of that type",
    note = "the elements of both are of one type: `a.cast()?` converts a tensor, and a number of type `f64` is written `1.0`"
)]
pub trait ElementwiseOperand<T: Stored> {
    /// What the compiler knows of its shape; of a number, that it fits every one.
    type Extents: Extents;
    #[doc(hidden)]
    fn right(&self) -> Right<'_, T>;
}

/// What stands at the right of an operator.
#[allow(clippy::large_enum_variant, reason = "one value exists at a time, and is read at once")]
pub enum Right<'a, T: Stored> {
    /// One element for each element.
    Tensor(TensorRef<'a, T>),
    /// One number for all.
    Number(T),
}

impl<T: Stored> ElementwiseOperand<T> for T {
    type Extents = Shape;
    fn right(&self) -> Right<'_, T> {
        Right::Number(*self)
    }
}

macro_rules! operands {
    ($([$($generics:tt)*] $Type:ty, $S:ty;)*) => { $(
        impl<$($generics)*> WholeOperand<T> for $Type {
            fn read(&self) -> TensorRef<'_, T> {
                self.view().into_dyn()
            }
        }
        impl<$($generics)*> ElementwiseOperand<T> for $Type {
            type Extents = $S;
            fn right(&self) -> Right<'_, T> {
                Right::Tensor(self.read())
            }
        }
    )* };
}
operands! {
    [T: Stored, S: Extents] Tensor<T, S>, S;
    [T: Stored, S: Extents] &Tensor<T, S>, S;
    [T: Element, S: StaticExtents] &StaticTensor<T, S>, S;
    [T: Stored, S: Extents] TensorRef<'_, T, S>, S;
    [T: Stored, S: Extents] &TensorRef<'_, T, S>, S;
}
