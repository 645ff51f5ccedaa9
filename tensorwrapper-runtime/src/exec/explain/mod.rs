//! Explains a plan to people, step by step: as a table, a drawing in Graphviz's language and an HTML page.
//!
//! | file | holds |
//! |---|---|
//! | `explanation.rs` | the data of a plan and its steps |
//! | `read.rs` | graph → steps: class, operations, bytes, memory in use |
//! | `table.rs` | `Display` |
//! | `dot.rs`, `page.rs`, `drawing.rs` | Graphviz, the page and the drawings on it |
//! | `equations.rs`, `words.rs`, `masks.rs` | recorded values as equations of the language |
//! | `apart.rs` | the same, each to be computed by itself |
//! | `requests.rs` | prepared plans and recorded results, explained and measured |
//! | `block.rs` | prepared blocks: the part that is kept, and the part that each run computes |
//!
//! The names of labels come from the graph; passes preserve them.
//!
//! Knows graphs, and only the names of devices. No computation depends on it.

mod apart;
mod block;
mod dot;
mod drawing;
mod equations;
mod explanation;
mod masks;
mod page;
mod placed;
mod read;
mod requests;
mod table;
mod texts;
mod words;

pub(crate) use apart::{WrittenValue, written_values};
pub use block::ExplainedBlock;
pub use equations::WrittenEquations;
pub use explanation::{ExplainedStep, Explanation};
