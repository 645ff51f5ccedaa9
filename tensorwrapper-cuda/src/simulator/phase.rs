//! The two rounds of a test: in the first kernels are collected, in the second they run.

use std::sync::Arc;

use super::collection::Collection;
use super::programs::Programs;
use super::settings::{Clock, Schedule};

/// The round that it is in.
#[derive(Debug)]
pub(super) enum Phase {
    Collecting(Collection),
    Running(Arc<Programs>, Schedule),
}

impl Phase {
    pub(super) fn clock(&self) -> &Clock {
        match self {
            Phase::Collecting(collection) => collection.clock(),
            Phase::Running(programs, _) => &programs.clock,
        }
    }

    /// Whether the library for linear algebra is there: where kernels run, if those that stand between its routines were collected.
    pub(super) fn solves(&self) -> bool {
        match self {
            Phase::Collecting(_) => true,
            Phase::Running(programs, _) => programs.solves,
        }
    }
}
