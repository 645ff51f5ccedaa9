//! Passes of a program's own.

use std::fmt::Debug;

use super::OpGraph;
use crate::error::Error;

/// A pass from graph to graph that a program adds to a context's own.
///
/// What it makes has the same sources and wants tensors of the same extents and element types, in the same order. That, and
/// [`OpGraph::verify`], is checked after it has run.
pub trait Rewrite: Debug + Send + Sync {
    /// Its name, for messages.
    fn name(&self) -> &str;

    /// The graph that computes the same at less cost; `None` where there is nothing to do.
    ///
    /// # Errors
    /// Whatever makes it pointless to go on without the pass.
    fn rewrite(&self, graph: &OpGraph) -> Result<Option<OpGraph>, Error>;
}
