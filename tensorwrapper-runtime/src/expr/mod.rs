//! Recorded equations: what every door builds, and nothing has been computed yet.
//!
//! `recorder` is the one place where run-time ranks and extents are checked; the expansion of `tensor!` drives it
//! directly, `bind` drives it from an equation that was checked at run time, `indexed` from operators.
//! Knows nothing of graphs and devices.

mod bind;
mod indexed;
mod like;
mod recorder;
#[cfg(test)]
mod tests;
mod value;

pub(crate) use bind::{Holes, bind};
pub(crate) use indexed::diagnostics_to_error;
pub use indexed::{Indexed, MapArguments};
pub use like::{IntoScalar, Operand, ScalarShape, ScalarValue, TensorLike};
pub use recorder::{Factor, Index, Node, Recorder, Written};
pub use value::Expr;
pub(crate) use value::{Axis, Factorised, Source, Tree, Value};
