//! From recorded values to tensors: graph, plan, device.
//!
//! The doors that compute stand here too, because everything they need is below them.

#[cfg(test)]
mod accumulate_tests;
mod arena;
mod asked;
mod block;
mod context;
mod doors;
mod explain;
#[cfg(all(test, unix))]
mod fork_tests;
mod inline;
mod kept;
pub mod linalg;
mod made;
mod memory;
mod over;
#[cfg(test)]
mod over_tests;
mod placed;
mod places;
#[cfg(test)]
mod plain_tests;
mod plan;
mod prepared;
mod rates;
mod replay;
mod resident;
mod run;
mod slices;
#[cfg(test)]
mod tests;
mod watch;

pub use block::{AnyOperand, PreparedBlock};
pub use context::{Context, Graph};
pub use doors::{DynOperand, EvalAll, contract, einsum, eval_all, record_text};
pub use explain::{Class, ExplainedBlock, ExplainedStep, Explanation};
pub use kept::Number;
pub(crate) use kept::{CallKey, Kept, KeptPlan, Key, Ready, Sources};
pub use made::KeptPlans;
pub use placed::{DeviceTensor, OnDevice};
pub use prepared::{DynTarget, Prepared};
pub use replay::Replay;
pub(crate) use run::{Computed, Goes, evaluate, planned, run_to};
pub use watch::{Cancel, Progress};
