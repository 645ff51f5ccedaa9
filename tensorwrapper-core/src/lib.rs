//! What tensorwrapper's backends and passes share: element types, shapes, layouts, memory, graphs, and the trait of devices.
//!
//! This page is for people who write a backend. To compute with tensors, use the crate `tensorwrapper`.
//!
//! # What a device sees
//!
//! A device implements [`backend::Device`]. It is given iteration spaces over strided memory, and nothing else: no labels, no
//! expressions, no graphs.
//!
//! | type | meaning |
//! |---|---|
//! | [`LoopNest`](backend::LoopNest) | the extents of an iteration space: first the axes of the output, then the axes that are reduced |
//! | [`Strided`](layout::Strided) | one stride for each axis of that space, 0 where the operand does not depend on the axis |
//! | [`Operand`](backend::Operand), [`Output`](backend::Output) | memory and such a layout; every position is known to lie inside the memory |
//! | [`Program`](backend::Program) | an element-wise computation: instructions over registers, run once for each point |
//! | [`Contraction`](backend::Contraction) | a sum of products: factors, the output, and perhaps a program (an epilogue) for each sum |
//! | [`Decomposition`](backend::Decomposition) | an operation of linear algebra on a batch of matrices |
//!
//! Besides its [name](backend::Device::name), three methods have no default:
//!
//! * [`Device::prepare`](backend::Device::prepare) decides how a contraction is computed, before the elements are known. It returns a
//!   [`PreparedContraction`](backend::PreparedContraction), which can be run any number of times.
//! * [`Device::map`](backend::Device::map) runs a program over operands, and perhaps reduces the values.
//! * [`Device::factorise`](backend::Device::factorise) computes decompositions, solutions of systems of equations, and the like. A device
//!   implements [`Algorithms`](backend::linear::Algorithms) for one dense matrix; [`linear::run`](backend::linear::run) builds every
//!   operation from them, with the signs and phases that all devices share.
//!
//! [`Reference`](backend::reference::Reference) is the simplest device, and defines every result. A new device can use it for everything
//! that it does not compute itself:
//!
//! ```
//! # use tensorwrapper_core as tensorwrapper;
//! use tensorwrapper::backend::linear::Decomposition;
//! use tensorwrapper::backend::reference::Reference;
//! use tensorwrapper_core::backend::{
//!     Contraction, Device, KernelContext, LoopNest, Operand, Output, PreparedContraction, Program, Reduction, RunContraction,
//! };
//! use tensorwrapper_core::callback::Callback;
//! use tensorwrapper_core::layout::Strided;
//! use tensorwrapper_core::storage::{SliceMut, SliceRef};
//! use tensorwrapper::{Dtype, Element, Error};
//!
//! /// A device with a kernel of its own for products of two factors in double precision.
//! #[derive(Clone, Debug)]
//! struct Dots;
//!
//! /// What is known of such a product before it runs.
//! #[derive(Debug)]
//! struct DotKernel {
//!     alpha: f64,
//!     terms: usize,
//!     factors: [Strided; 2],
//!     output: Strided,
//! }
//!
//! impl RunContraction for DotKernel {
//!     unsafe fn run(&self, _: &dyn KernelContext, data: &[SliceRef<'_>], output: SliceMut<'_>) -> Result<(), Error> {
//!         let [left, right] = [data[0], data[1]].map(|data| f64::typed(data).expect("`prepare` has seen the element type"));
//!         let output = f64::typed_mut(output).expect("`prepare` has seen the element type");
//!         // Positions come in the order of the iteration space: all terms of the first sum, then those of the second.
//!         let mut pairs = self.factors[0].positions().zip(self.factors[1].positions());
//!         for position in self.output.positions() {
//!             let sum: f64 = pairs.by_ref().take(self.terms).map(|(l, r)| left[l] * right[r]).sum();
//!             output[position] = self.alpha * sum;
//!         }
//!         Ok(())
//!     }
//! }
//!
//! impl Device for Dots {
//!     fn name(&self) -> &'static str {
//!         "dots"
//!     }
//!
//!     fn prepare(&self, contraction: &Contraction<'_>) -> Result<PreparedContraction, Error> {
//!         match (contraction.dtype, contraction.factors, contraction.then) {
//!             (Dtype::F64, &[(left, _), (right, _)], None) => {
//!                 let kernel = DotKernel {
//!                     alpha: contraction.alpha.re,
//!                     terms: contraction.nest.reduced_extents().iter().product(),
//!                     factors: [left.clone(), right.clone()],
//!                     output: contraction.output.clone(),
//!                 };
//!                 Ok(PreparedContraction::new(contraction, Box::new(kernel)))
//!             }
//!             _ => Reference.prepare(contraction),
//!         }
//!     }
//!
//!     fn map(
//!         &self,
//!         nest: &LoopNest,
//!         program: &Program,
//!         reduction: Reduction,
//!         functions: &[Callback<'_>],
//!         inputs: &[Operand<'_>],
//!         output: Output<'_>,
//!     ) -> Result<(), Error> {
//!         Reference.map(nest, program, reduction, functions, inputs, output)
//!     }
//!
//!     fn factorise(&self, call: &Decomposition, inputs: &[Operand<'_>], outputs: Vec<Output<'_>>) -> Result<(), Error> {
//!         Reference.factorise(call, inputs, outputs)
//!     }
//! }
//!
//! // C[i, k] = A[i, j] * B[j, k]: the axes of the space are i, k and, reduced, j.
//! let nest = LoopNest::new(vec![2, 2, 3], 2);
//! let a = Strided::within(&[2, 2, 3], &[3, 0, 1], 0, 6)?;
//! let b = Strided::within(&[2, 2, 3], &[0, 1, 2], 0, 6)?;
//! let c = Strided::row_major(&[2, 2])?;
//! let contraction = Contraction {
//!     nest: &nest,
//!     alpha: 1.0.into(),
//!     dtype: Dtype::F64,
//!     factors: &[(&a, false), (&b, false)],
//!     output: &c,
//!     then: None,
//!     others: &[],
//! };
//! let prepared = Dots.prepare(&contraction)?;
//! let (left, right) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
//! let mut product = [0.0; 4];
//! prepared.run(&Dots, &[f64::erase(&left), f64::erase(&right)], f64::erase_mut(&mut product))?;
//! assert_eq!(product, [4.0, 5.0, 10.0, 11.0]);
//! # Ok::<(), Error>(())
//! ```
//!
//! # How a device is tested
//!
//! The crate `tensorwrapper-testing` makes random tensors in random layouts (padded, transposed, broadcast, reversed) and runs one
//! contraction on any device; results are compared with those of [`Reference`](backend::reference::Reference). The integration tests of
//! the workspace run every case of the language on every device of their list.
//!
//! # Memory of its own
//!
//! A device whose kernels do not read the memory of the host returns itself from [`Device::resident`](backend::Device::resident). For
//! each run of a plan, the runtime then opens a [`Session`](backend::Session) of the [`Resident`](backend::Resident) device: sources are
//! copied to the device once, intermediates stay there, and results are copied back at the end. The host computes the steps for which the
//! session returns `false`.
//!
//! # Graphs
//!
//! [`graph`] has the graph of an equation or a block: tensors, operations, labels and extents. Passes rewrite graphs; devices never see
//! one. A backend that compiles whole graphs, instead of running one operation after another, gets the graph before it is planned.
//!
//! # Modules, from the bottom up
//!
//! | module | holds |
//! |---|---|
//! | [`error`], [`element`] | the one error type; element types and their operations |
//! | [`storage`] | memory of elements: allocated, kept for new results, or with its element type erased |
//! | [`shape`], [`layout`] | extents, known at compile time or at run time; orders, padding and tiles in memory |
//! | [`callback`] | functions of the program that equations call |
//! | [`backend`] | the traits of devices, and a reference device in plain loops |
//! | [`graph`] | operations on labelled tensors |

#[doc(hidden)]
#[macro_use]
pub mod dtype;
pub mod backend;
pub mod callback;
mod cast;
pub mod element;
pub mod error;
mod expansion;
pub mod graph;
pub mod layout;
mod map_function;
mod measured;
mod mixes;
mod reader;
pub mod shape;
pub mod storage;
pub mod stored;
pub mod structure;
pub mod symmetry;
mod thread_pool;

pub use element::{CastInto, Dtype, Element};
pub use error::{Error, ErrorKind, Place};
pub use layout::{Fill, Indexer, Layout, Layouts, Logical, Physical, Tile, Walk};
pub use measured::Measured;
pub use shape::{
    AnyShape, AtLeast, Charge, ChargeGroup, Charges, Const, Dyn, Extent, Extents, FixedIndices, Indices, IntoCharge, IntoExtent,
    IntoShape, JaggedBoxes, JaggedIndices, JaggedShape, Join, Len, Mask, MultiIndex, Nested, NestedArray, Shape, StaticExtents,
    TiledShape, Tiling,
};
pub use storage::keep_memory;
pub use stored::{Numeric, Stored};
pub use structure::{AxisPart, Sparsity, Structure};
pub use symmetry::{Sign, SignedPermutation, Symmetry};

/// What the other crates of tensorwrapper use beside the documented items. It may change in any version.
#[doc(hidden)]
pub mod internal {
    pub mod expansion {
        pub use crate::expansion::*;
    }
    pub mod map_function {
        pub use crate::map_function::*;
    }
    pub mod memory {
        pub use crate::storage::memory::*;
        pub use crate::storage::memory_pool::bytes_of_class;
    }
    pub mod ties {
        pub use crate::structure::tied_axes::*;
    }
    pub mod thread_pool {
        pub use crate::thread_pool::*;
    }
}
