//! The [`Device`] trait, and what a device is handed: iteration spaces over strided memory. It sees no labels, expressions or graphs.
//!
//! [`mod@reference`] defines the result of every operation in plain loops. Fast devices are crates of their own.

mod add;
pub mod compare;
mod compile;
mod constant;
pub mod contraction;
mod copied;
mod device;
mod element_wise;
pub mod function;
pub mod fuse;
pub mod linear;
mod operand;
mod place;
mod program;
pub mod reduce;
pub mod reference;
mod resident;
mod sum;
mod unfused_epilogue;

pub use compile::{Backend, BackendInstance, Executable, InstanceKey};
pub use constant::constant;
pub use contraction::{Contraction, KernelContext, PreparedContraction, RunContraction};
pub use copied::Copied;
pub use device::Device;
pub use element_wise::{ElementWise, RunMap};
pub use function::Unary;
pub use linear::{Decomposition, Elements, Factorisation, Role};
pub use operand::{LoopNest, Operand, Output};
pub use place::FindPlaces;
pub use program::{Arguments, Binary, Instruction, Program, Register};
pub use reduce::Reduction;
pub use resident::{
    DeviceCache, DeviceMemory, Factorised, KernelRequest, Mapped, MemoryLocation, MemoryUse, Resident, Session, TensorDescriptor,
};
pub use sum::{BufferedSum, PreparedSum, RunSum, SumTerm};
pub use tensorwrapper_notation::Comparison;
pub use unfused_epilogue::UnfusedEpilogue;
