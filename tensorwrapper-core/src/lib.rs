//! core

#[macro_use]
pub mod dtype;
pub mod backend;
pub mod callback;
pub mod element;
pub mod error;
pub mod expansion;
pub mod graph;
pub mod layout;
pub mod map_function;
pub mod shape;
pub mod storage;
pub mod thread_pool;

pub use element::{CastInto, Dtype, Element};
pub use error::{Error, ErrorKind, Place};
pub use shape::{Const, Dyn, Shape};

// TEMPORARY
pub mod erased {
    pub use crate::storage::memory::*;
    pub use crate::storage::*;
}
pub mod owned {
    pub use crate::storage::memory_pool::*;
    pub use crate::storage::*;
}
pub mod held {
    pub use crate::storage::device_mirror::*;
}
pub mod pool {
    pub use crate::thread_pool::*;
}
