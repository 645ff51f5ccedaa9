//! Passes from graph to graph: each a pure function in a file of its own, verified after it ran.

mod accumulate;
mod finish;
pub(crate) mod order;
mod pairwise;
mod rewrite;
#[cfg(test)]
mod tests;

use crate::error::Error;
use crate::graph::OpGraph;

pub use accumulate::Accumulate;
pub use order::{Minimize, Order, Rates};
pub(crate) use pairwise::Limited;

/// What a caller may choose about the passes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Choices {
    pub(crate) order: Order,
    /// What orders are to have least of.
    pub(crate) minimize: Minimize,
    /// Where the chance of searches for an order starts.
    pub(crate) seed: u64,
    pub(crate) accumulate: Accumulate,
    /// Bytes that a run may take.
    pub(crate) memory: Option<usize>,
}

/// The same graph made cheaper: contractions have at most two factors, in the order that the strategy finds, and sums are
/// of the precision that was chosen; what is done with each element of a product is part of it. Where elements are `limited`,
/// products of more factors are made in parts.
///
/// # Errors
/// An order of the program's that does not fit, and a broken promise of the graph, in debug builds.
pub(crate) fn optimize(graph: &OpGraph, choices: &Choices, limited: Option<Limited<'_>>) -> Result<OpGraph, Error> {
    let verified = |graph: OpGraph| {
        if cfg!(debug_assertions) {
            graph.verify()?;
        }
        Ok(graph)
    };
    // Products of many factors are widened as one, so that no intermediate is rounded.
    match choices.accumulate {
        Accumulate::AsElements => verified(finish::finish(&verified(pairwise::pairwise(graph, choices, limited)?)?)),
        Accumulate::Double => {
            let wide = verified(accumulate::accumulate(graph))?;
            verified(finish::finish(&verified(pairwise::pairwise(&wide, choices, limited)?)?))
        }
    }
}
