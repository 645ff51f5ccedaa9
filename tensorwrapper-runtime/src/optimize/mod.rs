//! Passes from graph to graph. Each is a pure function in a file of its own; `pipeline` runs them in order.
//!
//! A context can leave a pass out (`Context::without`). `verify` runs after each in debug builds. `tests/integration/blocks.rs`
//! runs random blocks with every set of passes.
//!
//! | file | does |
//! |---|---|
//! | `accumulate.rs` | sums single-precision data in double precision |
//! | `constants.rs` | folds constants: computes what depends only on numbers |
//! | `cse.rs` | computes common sub-expressions once, whatever the names of labels and the order of factors and axes |
//! | `factorise/` | joins terms that share a factor and forms shared products once, by cost, within the memory that is allowed |
//! | `pairwise.rs` | cuts products into pairs, in the order that `tensorwrapper-order` finds, and into parts where memory is limited |
//! | `fuse.rs` | joins element-wise work with its readers, and copies with products |
//! | `chain_accumulate.rs` | turns a sum of products into a chain of products that each begin with the sum so far |
//! | `finish.rs` | makes element-wise work over a whole product that nothing else reads its epilogue |
//! | `hoist_functions.rs`, `hoist.rs` | cut a prepared block in two: what depends on no tensor that changes is computed once |
//! | `again.rs` | where memory is limited, computes intermediates again for late readers instead of keeping them |
//! | `plain.rs` | builds the graph of a product of a few tensors directly, without any of these passes |
//!
//! Passes that need no contraction order run only once (`PassPipeline`), however many part sizes are tried to stay within a
//! memory limit.

mod accumulate;
mod again;
mod chain_accumulate;
mod choices;
mod constants;
mod cse;
mod factorise;
mod finish;
mod fuse;
pub(crate) mod hoist;
mod hoist_functions;
mod pairwise;
mod pass;
mod pipeline;
mod plain;
#[cfg(test)]
mod tests;

pub use accumulate::Accumulate;
pub(crate) use choices::Choices;
pub(crate) use pairwise::Limited;
pub use pass::Pass;
#[cfg(test)]
pub(crate) use pipeline::optimize;
pub(crate) use pipeline::{PassPipeline, is_optimal};
pub(crate) use plain::Plain;
