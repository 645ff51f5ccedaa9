//! Everything that is needed to write equations.

pub use crate::{
    AnyTensor, Complex, Const, Context, Dyn, Element, Error, Expr, Extent, Extents, Graph, LabelAxes, Len, Shape, StaticTensor,
    Tensor, TensorMut, TensorRef, contract, einsum, eval_all, tensor, try_einsum, try_tensor,
};
