//! The language of tensorwrapper: tokens, grammar, meaning. No dependencies.
//!
//! The macros and the run-time doors share this crate, so that an equation means the same everywhere.

#![forbid(unsafe_code)]

pub mod function;
pub mod sentence;

pub use function::Function;
