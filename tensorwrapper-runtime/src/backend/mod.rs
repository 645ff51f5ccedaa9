//! How things are computed: the [`Device`] trait and what passes through it.
//!
//! A device sees iteration spaces over strided memory and nothing else: no labels, no expressions, no graphs.
//! `reference` is the living definition of every operation; `cpu` is the fast one, `cuda` the one
//! for GPUs.

mod add;
mod constant;
mod contraction;
mod copy;
pub mod cpu;
#[cfg(feature = "cuda")]
pub(crate) mod cuda;
mod device;
#[cfg(test)]
mod factorise_tests;
pub(crate) mod function;
mod linear;
mod operand;
mod program;
#[cfg(test)]
mod random;
mod reduce;
pub mod reference;
#[cfg(feature = "cuda")]
mod resident;

pub(crate) use constant::constant;
pub use contraction::{Contraction, PreparedContraction, RunContraction};
pub(crate) use copy::copy;
#[cfg(test)]
pub(crate) use device::contract_once;
pub use device::{Device, Reduction};
pub use linear::{Decomposition, Elements, Factorisation, Role};
pub use operand::{LoopNest, Operand, Output};
pub use program::{Arguments, Binary, Instruction, Program, Register};
#[cfg(feature = "cuda")]
pub use resident::{Copied, DeviceMemory, Factorised, Found, Mapped, Resident, Seen, Session, Site, Taken};
