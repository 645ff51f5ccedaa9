//! Everything that happens when a tensor program runs.
//!
//! The modules are floors, listed bottom-up; each uses only those above it in this list.

// Floor 0: numbers, their erasure, and the one error type.
mod callback;
mod element;
mod erased;
mod error;
#[cfg(feature = "cuda")]
mod held;
mod link;
mod owned;
mod pool;
// Floor 1: what a tensor looks like.
mod layout;
mod shape;
// Floor 2: how things are computed.
mod backend;
// Floor 3: what holds the elements.
mod tensor;
// Floor 4: equations, recorded.
mod expr;
// Floor 5: what is to be computed.
pub mod graph;
// Floor 6: the same, cheaper.
mod optimize;
/// Orders of products, for programs that want one without computing: [`find`](order::find).
pub mod order {
    pub use crate::optimize::order::{Found, Minimize, Rates, Search, find};
}
// Floor 7: computing it.
mod exec;
// The roof: what expansions of the macros call.
#[doc(hidden)]
#[path = "private/mod.rs"]
pub mod __private;
/// The same by a name of this version alone. Expansions use it, so that macros of another version fail to compile here: both
/// sides share the text form of equations, and a difference between versions would go unnoticed.
#[doc(hidden)]
pub use __private as __private_0_1_0;

pub use element::{CastInto, Dtype, Element};
pub use error::{Error, ErrorKind, Place};
pub use exec::linalg;
pub use exec::{
    AnyOperand, Cancel, Class, Context, DynOperand, DynTarget, EvalAll, ExplainedBlock, ExplainedStep, Explanation, Graph,
    KeptPlans, Prepared, PreparedBlock, Progress, Replay, contract, einsum, eval_all,
};
#[cfg(feature = "cuda")]
pub use exec::{DeviceTensor, OnDevice};
pub use expr::{Expr, Factors, Indexed, IndexedPhysical, IndexedShape, MapArguments, TensorLike};
pub use layout::{Fill, Indexer, Layout, Layouts, Logical, Physical, Tile, Walk};
pub use optimize::{Accumulate, Order, Pass};
pub use owned::keep_memory;
pub use shape::{
    Const, Dyn, Extent, Extents, FixedIndices, Indices, IntoExtent, IntoShape, Len, Mask, MultiIndex, NestedArray, Shape,
    StaticExtents,
};
pub use tensor::{AnyTensor, ComputeDevice, Elements, MemoryKind, Moved, Placement, StaticTensor, Tensor, TensorMut, TensorRef};
