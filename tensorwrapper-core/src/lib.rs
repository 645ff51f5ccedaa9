//! core

#[macro_use]
pub mod element;
pub mod backend;
pub mod callback;
pub mod erased;
pub mod error;
pub mod expansion;
pub mod graph;
pub mod held;
pub mod layout;
pub mod owned;
pub mod pool;
pub mod shape;

pub use element::{CastInto, Dtype, Element};
pub use error::{Error, ErrorKind, Place};
pub use shape::{Const, Dyn, Shape};
