//! Recorded equations: what every door builds, and nothing has been computed yet.
//!
//! `recorder` is the one place where run-time ranks and extents are checked; `bind` drives it from a checked equation,
//! whatever door that came through; `indexed` makes equations of operators.
//! Knows nothing of graphs and devices.

mod bind;
mod faults;
mod indexed;
mod like;
mod recorder;
mod shapes;
#[cfg(test)]
mod tests;
mod text;
mod value;

pub(crate) use bind::{Bound, Holes, bind, bind_value, only_recorded};
pub(crate) use faults::{Notation, faults_to_error};
pub use indexed::{Factors, Indexed, MapArguments};
pub(crate) use like::{Given, ScalarKind};
pub use like::{IntoScalar, Operand, ScalarShape, ScalarValue, TensorLike};
pub(crate) use recorder::{Target, Write};
pub use shapes::{IndexedPhysical, IndexedShape, LabelAxes};
pub(crate) use text::read_text;
pub use value::Expr;
pub(crate) use value::{Axis, Factorised, Source, Tree, Value};
