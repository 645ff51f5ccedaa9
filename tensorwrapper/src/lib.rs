//! Tensor equations inside Rust, checked by the compiler.

#![forbid(unsafe_code)]

pub use tensorwrapper_macros::{tensor, try_tensor};
pub use tensorwrapper_runtime::{
    AnyTensor, ComputeDevice, Const, Context, Dtype, Dyn, DynOperand, Element, Elements, Error, ErrorKind, Expr, Extent, Extents,
    Indexed, IntoExtent, IntoShape, Len, MemoryKind, Order, Place, Placement, Shape, Tensor, TensorLike, TensorMut, TensorRef,
    contract, einsum,
};

#[doc(hidden)]
pub use tensorwrapper_runtime::__private;

/// Everything that writing equations needs.
pub mod prelude {
    pub use crate::{
        AnyTensor, Const, Context, Dyn, Element, Error, Expr, Extent, Extents, Len, Shape, Tensor, TensorMut, TensorRef,
        contract, einsum, tensor, try_tensor,
    };
}
