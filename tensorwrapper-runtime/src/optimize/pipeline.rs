//! Runs the passes in order. Each is a pure function in a file of its own; in debug builds the graph is verified after each
//! pass.

use super::accumulate::{Accumulate, accumulate};
use super::again::again;
use super::chain_accumulate::chain_accumulate;
use super::choices::Choices;
use super::constants::constants;
use super::cse::eliminate_common;
use super::factorise::{Bounds, factorise};
use super::finish::finish;
use super::fuse::fuse;
use super::hoist::{Hoisted, hoist, kept};
use super::hoist_functions::hoist_functions;
use super::pairwise::{Limited, pairwise};
use super::pass::Pass;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::graph::OpGraph;
use tensorwrapper_order::{Minimize, Order};

/// The graph after all passes: contractions have at most two factors, in the order that the chosen strategy finds; sums have
/// the chosen precision; and element-wise work on products is an epilogue. If elements are `limited`, products of three and
/// more factors are made in parts.
///
/// # Errors
/// An order given by the program that does not fit, and in debug builds a graph that `verify` refuses.
#[cfg(test)]
pub(crate) fn optimize(graph: &OpGraph, choices: &Choices, limited: Option<Limited<'_>>) -> Result<OpGraph, Error> {
    PassPipeline::new(graph, choices, &[])?.optimize(limited)
}

/// A graph after those passes that need no contraction order. The remaining passes can be run from it several times.
pub(crate) struct PassPipeline<'g> {
    passes: Passes<'g>,
    /// Whether no pass has changed the graph since common sub-expressions were eliminated.
    is_cse_done: bool,
    /// Whether the elements of each source stay the same from run to run, by slot; empty if nothing is to be kept.
    is_kept: Vec<bool>,
}

impl<'g> PassPipeline<'g> {
    /// Runs the first passes. `is_kept` says by slot which sources stay the same from run to run.
    ///
    /// # Errors
    /// In debug builds, a graph that `verify` refuses.
    pub(crate) fn new(graph: &'g OpGraph, choices: &'g Choices, is_kept: &[bool]) -> Result<PassPipeline<'g>, Error> {
        let mut passes = Passes { graph: None, first: graph, choices, is_block: is_block(graph) };
        let keeps = choices.without.makes(Pass::Hoist);
        let is_kept: Vec<bool> = is_kept.iter().map(|&is_kept| keeps && is_kept).collect();
        // Products of many factors are widened as one, so that no intermediate is rounded.
        if choices.accumulate == Accumulate::Double {
            passes.make(|graph| Ok(Some(accumulate(graph))))?;
        }
        passes.choose(Pass::Constants, constants)?;
        passes.choose(Pass::Cse, |graph| Some(eliminate_common(graph)))?;
        passes.choose(Pass::Dce, OpGraph::without_dead)?;
        let counts_operations = matches!(choices.minimize, None | Some(Minimize::Operations));
        let reorders = matches!(choices.order, Order::Auto | Order::Exact) && counts_operations;
        let mut is_cse_done = true;
        passes.choose(Pass::Factorise, |graph| {
            let kept = kept(graph, &is_kept);
            let made = factorise(graph, Bounds { reorders, memory: choices.memory, kept: &kept });
            is_cse_done = made.is_none();
            made
        })?;
        Ok(PassPipeline { passes, is_cse_done, is_kept })
    }

    /// The graph after all passes; see [`optimize`].
    ///
    /// # Errors
    /// As [`optimize`].
    pub(crate) fn optimize(&self, limited: Option<Limited<'_>>) -> Result<OpGraph, Error> {
        let Passes { choices, is_block, .. } = self.passes;
        let again = limited.as_ref().and_then(|limited| limited.again);
        finished(self.ordered(limited)?, choices, is_block, again)
    }

    /// The graph after all passes in two parts: operations that depend only on sources that stay the same from run to run are
    /// computed once, and then cost nothing.
    ///
    /// # Errors
    /// As [`optimize`].
    pub(crate) fn optimize_keeping(&self, limited: Option<Limited<'_>>) -> Result<Hoisted, Error> {
        let Passes { choices, is_block, .. } = self.passes;
        let again = limited.as_ref().and_then(|limited| limited.again);
        let ordered = self.ordered(limited)?;
        let mut passes = Passes { graph: None, first: &ordered, choices, is_block: true };
        passes.choose(Pass::Hoist, |graph| Some(hoist_functions(graph, &kept(graph, &self.is_kept))))?;
        passes.choose(Pass::Cse, |graph| Some(eliminate_common(graph)))?;
        let Hoisted { once, each } = hoist(passes.graph(), &self.is_kept);
        if cfg!(debug_assertions) {
            once.verify()?;
            each.verify()?;
        }
        // What is kept is not to be joined with what changes.
        let once = finished(once, choices, is_block, again)?;
        Ok(Hoisted { once, each: finished(each, choices, is_block, again)? })
    }

    /// Runs the passes from the contraction orders up to the last ones, which [`finished`] runs.
    fn ordered(&self, limited: Option<Limited<'_>>) -> Result<OpGraph, Error> {
        let Passes { choices, is_block, .. } = self.passes;
        let mut passes = Passes { graph: None, first: self.passes.graph(), choices, is_block };
        passes.make(|graph| pairwise(graph, choices, limited))?;
        // Products of two may be the same where those of many were not.
        if passes.graph.is_some() || !self.is_cse_done {
            passes.choose(Pass::Cse, |graph| Some(eliminate_common(graph)))?;
        }
        passes.choose(Pass::Dce, OpGraph::without_dead)?;
        passes.choose(Pass::Fuse, |graph| Some(fuse(graph)))?;
        let Passes { graph, first, .. } = passes;
        Ok(graph.unwrap_or_else(|| first.clone()))
    }
}

/// Runs the last passes, which chain products into sums, turn element-wise work into epilogues, and compute intermediates again where
/// more than so many bytes would be taken.
fn finished(graph: OpGraph, choices: &Choices, is_block: bool, bytes: Option<f64>) -> Result<OpGraph, Error> {
    let mut passes = Passes { graph: None, first: &graph, choices, is_block };
    passes.choose(Pass::ChainAccumulate, chain_accumulate)?;
    passes.choose(Pass::Finish, finish)?;
    if let Some(bytes) = bytes {
        passes.choose(Pass::Again, |graph| again(graph, bytes))?;
    }
    Ok(passes.graph.unwrap_or(graph))
}

/// Whether no pass would change a graph: it is a product of two different tensors, summed in the precision of its elements.
pub(crate) fn is_optimal(graph: &OpGraph, choices: &Choices) -> bool {
    let is_pair = matches!(graph.operations(), [only] if only.inputs.len() <= 2);
    is_pair && choices.accumulate != Accumulate::Double && !is_block(graph)
}

/// A graph on its way through the passes.
struct Passes<'g> {
    first: &'g OpGraph,
    graph: Option<OpGraph>,
    choices: &'g Choices,
    is_block: bool,
}

/// Whether anything may be found but an order: a product of different tensors is planned as quickly as it can be.
fn is_block(graph: &OpGraph) -> bool {
    let [only] = graph.operations() else { return true };
    let repeats = |n: usize| only.inputs[..n].iter().any(|edge| edge.tensor == only.inputs[n].tensor);
    only.operation.as_product().is_none() || (0..only.inputs.len()).any(repeats)
}

impl Passes<'_> {
    fn graph(&self) -> &OpGraph {
        self.graph.as_ref().unwrap_or(self.first)
    }

    /// Makes a pass that the choices do not go without; it tells no graph where it would change nothing.
    fn choose(&mut self, pass: Pass, make: impl FnOnce(&OpGraph) -> Option<OpGraph>) -> Result<(), Error> {
        if self.is_block && self.choices.without.makes(pass) { self.make(|graph| Ok(make(graph))) } else { Ok(()) }
    }

    fn make(&mut self, make: impl FnOnce(&OpGraph) -> Result<Option<OpGraph>, Error>) -> Result<(), Error> {
        let Some(graph) = make(self.graph())? else { return Ok(()) };
        if cfg!(debug_assertions) {
            graph.verify()?;
        }
        self.graph = Some(graph);
        Ok(())
    }
}
