//! Structs of tensors as vectors: what `#[derive(Tensors)]` implements.
//!
//! `member` says what a field can be, `recorded` has recorded values in the form of fields and structs, `tensors` the operations of
//! vectors; `folder` writes and reads files, of which `saved` has the list. Knows nothing of derivatives, which use forms of `recorded`.

mod folder;
mod member;
mod name;
mod recorded;
mod saved;
mod tensors;

pub use member::{HasElements, Member, Visitor};
pub use name::Name;
pub use recorded::{Queue, RecordedTensors};
pub(crate) use recorded::{like, links, names, tensors};
pub use saved::Saved;
pub use tensors::Tensors;
