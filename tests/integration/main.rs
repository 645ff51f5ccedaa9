//! The integration tests that share one process: each module tests one part of the library through its public interface.
//!
//! They are one binary, so that the library is linked once for all of them, and they run side by side. A test that changes something
//! of the whole process does not belong here: counting allocations and the limit of kept memory are in `tests/allocations`, compiler
//! messages in `tests/ui`, devices of CUDA in `tests/cuda`, rules about the source files in `tests/tidy`.

#![allow(mixed_script_confusables, confusable_idents, reason = "Greek labels look like Latin ones")]
#![allow(clippy::duplicate_mod, reason = "examples that are tested share files with each other")]

mod block_cases;
mod block_chains;
mod block_claims;
mod block_derivatives;
mod block_layers;
mod block_linalg;
mod block_operators;
mod block_tensors;
mod blocks;
mod blocks_edges;
mod ccsd_naive;
mod ccsd_spin;
mod choices;
pub mod compiles;
mod corpus;
mod derivative_language;
mod derivatives;
mod dmrg_program;
mod einsum_program;
mod explain;
mod finish;
mod further_forms;
mod fuzz;
mod integers;
mod layouts;
mod linalg;
mod linalg_edges;
mod linalg_promises;
mod linalg_static;
mod long_programs;
mod macro_forms;
mod mapped_derivatives;
mod messages;
mod mixed_elements;
mod network_program;
mod open;
mod order_program;
mod positions;
mod prepared;
mod property;
mod recording;
mod rematerialised;
mod seeds;
mod static_expr;
mod twins;
mod watch;
mod water;
mod written;
