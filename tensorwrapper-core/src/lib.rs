//! core

#[macro_use]
pub mod dtype;
pub mod callback;
pub mod error;
pub mod storage;
pub mod element;
pub mod map_function;
pub mod expansion;
pub mod thread_pool;
pub mod layout;
pub mod shape;
pub mod backend;
pub mod graph;

pub use element::{CastInto, Dtype, Element};
pub use error::{Error, ErrorKind, Place};
pub use shape::{Const, Dyn, Shape};

// TEMPORARY
pub mod erased { pub use crate::storage::*; pub use crate::storage::memory::*; }
pub mod owned { pub use crate::storage::*; pub use crate::storage::memory_pool::*; }
pub mod held { pub use crate::storage::device_mirror::*; }
pub mod pool { pub use crate::thread_pool::*; }
