//! What a plan does, step by step, for people: a table, a drawing in Graphviz's language and a page.
//!
//! | file | holds |
//! |---|---|
//! | `explanation.rs` | what is known of a plan and its steps |
//! | `read.rs` | graph → steps: class, operations, bytes, what is alive |
//! | `table.rs` | `Display` |
//! | `dot.rs`, `page.rs`, `drawing.rs` | Graphviz, the page and the drawings on it |
//! | `requests.rs` | prepared plans and recorded results, explained and measured |
//! | `block.rs` | prepared blocks: what is kept, and what each run computes |
//!
//! The names of labels come from the graph, where passes hand them on.
//!
//! Knows graphs, and of devices no more than their name. Nothing that computes asks it.

mod block;
mod dot;
mod drawing;
mod explanation;
mod page;
mod read;
mod requests;
mod table;

pub use block::ExplainedBlock;
pub use explanation::{ExplainedStep, Explanation};
