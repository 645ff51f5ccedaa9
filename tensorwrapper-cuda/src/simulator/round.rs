//! The two rounds of a test: in the first kernels are collected, in the second they run.

use std::sync::Arc;

use super::collection::Collection;
use super::compiled::CompiledKernels;
use super::settings::{Schedule, Settings};

/// The round that a device belongs to.
#[derive(Debug)]
pub(super) enum Round {
    Collecting(Collection),
    Running(Arc<CompiledKernels>, Schedule),
}

impl Round {
    pub(super) fn settings(&self) -> &Settings {
        match self {
            Round::Collecting(collection) => collection.settings(),
            Round::Running(kernels, _) => &kernels.settings,
        }
    }

    /// Whether there is a library for linear algebra. In the second round, only if the kernels that it needs were collected.
    pub(super) fn has_linalg(&self) -> bool {
        match self {
            Round::Collecting(_) => true,
            Round::Running(kernels, _) => kernels.has_linalg,
        }
    }
}
