//! Computes recorded values: from values to graph, plan, device and tensors.
//!
//! The entry points that compute are here too, because everything that they need is on this floor or below.

#[cfg(test)]
mod accumulate_tests;
mod blocks;
mod compile;
mod context;
mod describe;
mod einsum_path;
mod entry_points;
mod explain;
#[cfg(all(test, unix))]
mod fork_tests;
mod graph;
#[cfg(test)]
mod in_place_tests;
mod inline;
mod integers;
mod kernel_requests;
mod limit;
pub mod linalg;
mod memory;
mod operands;
mod passes;
mod placed;
#[cfg(test)]
mod plain_tests;
mod plan;
mod plan_cache;
mod plan_key;
mod planner;
mod prepared;
mod prepared_block;
mod rates;
mod recent_plans;
mod record;
mod results;
mod run;
mod run_graph;
mod statements;
mod targets;
#[cfg(test)]
mod tests;

pub(crate) use blocks::BlockCall;
pub use blocks::{IndexedStructure, PairProduct, PreparedBlocks, Truncation, einsum_blocks};
pub(crate) use compile::{evaluate, planned};
pub use context::Context;
pub use describe::Class;
pub use einsum_path::einsum_path;
pub use entry_points::{contract, einsum, eval_all};
pub use explain::{ExplainedBlock, ExplainedStep, Explanation, WrittenEquations};
pub(crate) use explain::{WrittenValue, written_values};
pub use graph::Graph;
pub(crate) use integers::{IntegerPlan, IntegerSource, KeptIntegers, KeptStep, KnownIntegers, SourcePlace};
pub(crate) use operands::Erased;
pub use operands::{AnyOperand, DynOperand};
pub use placed::{DeviceTensor, OnDevice};
pub use plan_cache::KeptPlans;
pub use plan_key::Number;
pub(crate) use plan_key::{CallKey, Equations, KeptPlan, PlanKey, Sources, listed, listed_number};
pub use prepared::Prepared;
pub use prepared_block::PreparedBlock;
pub(crate) use recent_plans::RecentPlans;
pub use record::{RecordOperand, record};
pub use results::EvalAll;
pub(crate) use results::Untyped;
pub use run::{Cancel, Progress, Replay, ResultPlacement};
pub(crate) use run::{Computed, Execution};
pub use targets::DynTarget;
