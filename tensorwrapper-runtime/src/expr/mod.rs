//! Recorded equations. All entry points build these before anything is computed.
//!
//! `recorder` is the one place where ranks and extents are checked at run time; `bind` drives it from a checked equation;
//! `indexed` builds equations with operators; `inlined` records a graph as a value. Knows nothing of lowering, plans and
//! devices.

mod bind;
mod faults;
mod form;
mod indexed;
mod inlined;
mod integers;
mod mapping;
mod operand;
mod reach;
mod recordable;
mod recorder;
mod reshaped;
mod scalar;
mod shapes;
#[cfg(test)]
mod tests;
mod text;
mod truth;
mod value;

pub(crate) use bind::{Bound, Derivative, Derivatives, Holes, Read, bind, bind_value, one_layer, only_recorded};
pub(crate) use faults::{Notation, faults_to_error};
pub use form::{Form, InBlocks, InLayers, NextResult, Truth, Whole};
pub(crate) use indexed::labels;
pub use indexed::{Factors, Indexed, IndexedMask, MapArguments, MapSlopes};
pub(crate) use inlined::inlined;
pub(crate) use integers::Numbers;
pub use integers::{ExactIntegers, Integers};
pub(crate) use integers::{exact, rounded};
pub(crate) use operand::OperandData;
pub use operand::{Operand, ReadMask, ReadOperand, TensorLike};
pub(crate) use reach::{Reach, rebuilt};
pub use recordable::{AnyValue, Recordable};
pub(crate) use recorder::{Target, Write};
pub(crate) use scalar::ScalarKind;
pub use scalar::{IntoScalar, PassedAsScalar, ScalarShape, ScalarValue};
pub use shapes::{IndexedPhysical, IndexedShape, LabelAxes};
pub(crate) use text::{equation_of_text, read_text};
pub(crate) use truth::truth_numbers;
pub use value::Expr;
pub(crate) use value::{Axis, Factorised, Inlined, LinearSolver, Meaning, Solved, Source, Step, Tree, Value};
