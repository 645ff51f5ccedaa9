//! Passes from graph to graph: each a pure function in a file of its own, verified after it ran.

mod order;
mod pairwise;
#[cfg(test)]
mod tests;

use crate::error::Error;
use crate::graph::OpGraph;

pub use order::Order;

/// A graph whose contractions have at most two factors, in the order that the strategy finds.
///
/// # Errors
/// A broken promise of the graph, in debug builds.
pub(crate) fn optimize(graph: &OpGraph, order: Order) -> Result<OpGraph, Error> {
    let binary = pairwise::pairwise(graph, order);
    if cfg!(debug_assertions) {
        binary.verify()?;
    }
    Ok(binary)
}
