//! What stands beside a whole tensor: another one, owned, borrowed or a view.

use tensorwrapper_core::element::Element;
use tensorwrapper_core::shape::{Extents, StaticExtents};
use tensorwrapper_core::stored::Stored;

use crate::tensor::{StaticTensor, Tensor, TensorRef};

/// What can stand beside a tensor in `a + b`: a tensor, owned or borrowed, or a view. Numbers can, too.
///
/// The two have the same extents, because nothing is broadcast. Where the compiler knows them, other extents are a compile error.
///
/// # Panics
/// If extents that are known only at run time differ, and if the system has no memory for the result, as [`tensor!`](crate) does. An
/// equation in `try_tensor!` returns such faults as errors, and computes a whole expression at once, without intermediate results.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not combined with a tensor of `{T}` element by element",
    label = "not a tensor or a number of that type",
    note = "the elements of both are of one type: `a.cast()?` converts a tensor, and a number of type `f64` is written `1.0`"
)]
pub trait WholeOperand<T: Stored> {
    /// What the compiler knows of its shape.
    type Extents: Extents;
    #[doc(hidden)]
    fn read(&self) -> TensorRef<'_, T>;
}

macro_rules! operands {
    ($([$($generics:tt)*] $Type:ty, $S:ty;)*) => { $(
        impl<$($generics)*> WholeOperand<T> for $Type {
            type Extents = $S;
            fn read(&self) -> TensorRef<'_, T> {
                self.view().into_dyn()
            }
        }
    )* };
}
operands! {
    [T: Stored, S: Extents] Tensor<T, S>, S;
    [T: Stored, S: Extents] &Tensor<T, S>, S;
    [T: Element, S: StaticExtents] &StaticTensor<T, S>, S;
}
impl<T: Stored, S: Extents> WholeOperand<T> for TensorRef<'_, T, S> {
    type Extents = S;
    fn read(&self) -> TensorRef<'_, T> {
        self.clone().into_dyn()
    }
}
impl<T: Stored, S: Extents> WholeOperand<T> for &TensorRef<'_, T, S> {
    type Extents = S;
    fn read(&self) -> TensorRef<'_, T> {
        (*self).clone().into_dyn()
    }
}
