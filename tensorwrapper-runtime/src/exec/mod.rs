//! From recorded values to tensors: graph, plan, device.
//!
//! The doors that compute stand here too, because everything they need is below them.

#[cfg(test)]
mod accumulate_tests;
mod context;
mod doors;
mod kept;
pub mod linalg;
mod made;
mod plan;
mod prepared;
mod run;
#[cfg(test)]
mod tests;

pub use context::{Context, Graph};
pub use doors::{DynOperand, EvalAll, contract, einsum, eval_all, record_text};
pub use kept::Number;
pub(crate) use kept::{CallKey, Kept, KeptPlan, Key, Ready, Sources};
pub use made::KeptPlans;
pub use prepared::{DynTarget, Prepared};
pub(crate) use run::{Computed, evaluate, planned, run};
