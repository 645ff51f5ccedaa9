//! Passes from graph to graph: each a pure function in a file of its own. `pipeline` has them in their order.

mod accumulate;
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
