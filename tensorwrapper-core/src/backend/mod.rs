//! How things are computed: the [`Device`] trait and what passes through it.
//!
//! A device sees iteration spaces over strided memory and nothing else: no labels, no expressions, no graphs.
//! `reference` is the living definition of every operation; `cpu` is the fast one, `cuda` the one
//! for GPUs.

mod add;
mod constant;
pub mod contraction;
mod device;
pub mod function;
pub mod fuse;
pub mod linear;
mod operand;
mod program;
pub mod reduce;
pub mod reference;
mod resident;

pub use constant::constant;
pub use contraction::{Contraction, PreparedContraction, RunContraction};
pub use device::{Device, Reduction};
pub use linear::{Decomposition, Elements, Factorisation, Role};
pub use operand::{LoopNest, Operand, Output};
pub use program::{Arguments, Binary, Instruction, Program, Register};
pub use resident::{Asked, Copied, DeviceMemory, Factorised, Found, Mapped, Resident, Seen, Session, Site, Taken};
