//! What a caller may choose about the passes.

use super::accumulate::Accumulate;
use super::pass::Without;
use tensorwrapper_order::{Minimize, Order};

/// What a caller may choose about the passes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Choices {
    pub(crate) order: Order,
    /// What orders are to have least of, where that was said.
    pub(crate) minimize: Option<Minimize>,
    /// Where the chance of searches for an order starts.
    pub(crate) seed: u64,
    pub(crate) accumulate: Accumulate,
    /// Bytes that a run may take.
    pub(crate) memory: Option<usize>,
    pub(crate) without: Without,
}
