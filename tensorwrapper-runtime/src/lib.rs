//! Everything that happens when a tensor program runs.
//!
//! The modules are floors, listed bottom-up; each uses only those above it in this list.

// Floor 0: pointers of long chains.
mod link;
// Floor 1: what holds the elements.
mod tensor;
// Floor 2: equations, recorded.
mod expr;
// Floor 3: recorded equations become graphs.
mod lower;
// Floor 4: the same graphs, cheaper.
mod optimize;
// Floor 5: computing them.
mod exec;
// Floor 6: methods and operators of whole tensors.
mod arrays;
// Floor 7: structs of tensors, and recorded values in their form.
mod structs;
// Floor 8: derivatives of recorded equations.
mod grad;
// Floor 9: functions that are computed with their derivatives.
mod functions;
// The roof: what expansions of the macros call.
#[doc(hidden)]
#[path = "private/mod.rs"]
pub mod __private;
/// The same module under a name that only this version has. Expansions use this name, so that macros of another version fail to
/// compile: the macros and the run time share the text form of equations, and a difference between versions would go unnoticed.
#[doc(hidden)]
pub use __private as __private_0_1_0;

pub use arrays::{Axes, ElementwiseOperand, Lanes, WholeOperand, concatenate, select, stack};
pub use exec::linalg;
pub use exec::{
    AnyOperand, Cancel, Class, Context, DynOperand, DynTarget, EvalAll, ExplainedBlock, ExplainedStep, Explanation, Graph,
    IndexedStructure, KeptPlans, PairProduct, Prepared, PreparedBlock, PreparedBlocks, Progress, RecordOperand, Replay,
    Truncation, WrittenEquations, contract, einsum, einsum_blocks, einsum_path, eval_all, record,
};
pub use exec::{DeviceTensor, OnDevice};
pub use expr::{
    Expr, Factors, Form, InBlocks, Indexed, IndexedMask, IndexedPhysical, IndexedShape, LabelAxes, MapArguments, MapSlopes,
    Recordable, TensorLike, Whole,
};
pub use functions::{PreparedGrad, PreparedStep, Steps, Tolerance};
pub use grad::{Directions, NumberShape, OrZero, RealNumber, Variables, or_zero};
/// Complex numbers, of the crate `num-complex`.
pub use num_complex::Complex;
pub use optimize::{Accumulate, Pass};
pub use structs::{HasElements, RecordedTensors, Tensors};
pub use tensor::{
    AnyTensor, Blocks, ComputeDevice, Difference, Elements, MemoryKind, Moved, Placement, StaticTensor, Tensor, TensorMut,
    TensorRef,
};
pub use tensorwrapper_core::Measured;
pub use tensorwrapper_core::Shape;
pub use tensorwrapper_core::element::{CastInto, Dtype, Element};
pub use tensorwrapper_core::error::{Error, ErrorKind, Place};
pub use tensorwrapper_core::graph;
pub use tensorwrapper_core::layout::{Fill, Indexer, Layout, Layouts, Logical, Physical, Tile, Walk};
pub use tensorwrapper_core::shape::{
    AnyShape, AtLeast, Charge, ChargeGroup, Charges, Const, Dyn, Extent, Extents, FixedIndices, Indices, IntoCharge, IntoExtent,
    IntoShape, JaggedBoxes, JaggedIndices, JaggedShape, Join, Len, Mask, MultiIndex, Nested, NestedArray, StaticExtents,
    TiledShape, Tiling,
};
pub use tensorwrapper_core::storage::keep_memory;
pub use tensorwrapper_core::stored::{Numeric, Stored};
pub use tensorwrapper_core::structure::{AxisPart, Sparsity, Structure};
pub use tensorwrapper_core::symmetry::{Sign, SignedPermutation, Symmetry};
pub use tensorwrapper_order::Order;

/// Everything that is needed to write a backend: the [`Device`](backend::Device) trait, the types in its methods, and the
/// processor's device, to which a backend can delegate work.
pub mod backend {
    pub use tensorwrapper_core::backend::*;
    pub use tensorwrapper_core::callback::Callback;
    pub use tensorwrapper_core::storage::{SliceMut, SliceRef};
    pub use tensorwrapper_cpu::Cpu;
}

/// Contraction orders of products: [`find`](order::find) finds one without computing the product.
pub mod order {
    pub use tensorwrapper_order::{Found, Minimize, Rates, Search, find};
}
