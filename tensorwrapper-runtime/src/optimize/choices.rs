//! The settings of the passes that a caller can choose.

use super::accumulate::Accumulate;
use super::pass::Without;
use tensorwrapper_order::{Minimize, Order};

/// The settings of the passes that a caller can choose.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Choices {
    pub(crate) order: Order,
    /// The quantity that contraction orders minimise, if the caller chose one.
    pub(crate) minimize: Option<Minimize>,
    /// The seed of randomised searches for an order.
    pub(crate) seed: u64,
    pub(crate) accumulate: Accumulate,
    /// Bytes that a run may take.
    pub(crate) memory: Option<usize>,
    pub(crate) without: Without,
}
