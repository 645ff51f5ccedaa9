//! The two rounds of a test: in the first kernels are collected, in the second they run.

use std::sync::Arc;

use super::collection::Collection;
use super::programs::CompiledKernels;
use super::settings::{Schedule, Settings};

/// The round that it is in.
#[derive(Debug)]
pub(super) enum Round {
    Collecting(Collection),
    Running(Arc<CompiledKernels>, Schedule),
}

impl Round {
    pub(super) fn settings(&self) -> &Settings {
        match self {
            Round::Collecting(collection) => collection.settings(),
            Round::Running(programs, _) => &programs.settings,
        }
    }

    /// Whether the library for linear algebra is there: where kernels run, if those that stand between its routines were collected.
    pub(super) fn solves(&self) -> bool {
        match self {
            Round::Collecting(_) => true,
            Round::Running(programs, _) => programs.solves,
        }
    }
}
