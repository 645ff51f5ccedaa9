//! The passes in their order. Each is a pure function in a file of its own, and is verified after it ran in debug builds.

use super::accumulate::{Accumulate, accumulate};
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

/// The same graph made cheaper: contractions have at most two factors, in the order that the strategy finds, and sums are
/// of the precision that was chosen; what is done with each element of a product is part of it. Where elements are `limited`,
/// products of more factors are made in parts.
///
/// # Errors
/// An order of the program's that does not fit, and a broken promise of the graph, in debug builds.
#[cfg(test)]
pub(crate) fn optimize(graph: &OpGraph, choices: &Choices, limited: Option<Limited<'_>>) -> Result<OpGraph, Error> {
    PassPipeline::new(graph, choices, &[])?.optimize(limited)
}

/// A graph with those passes made that ask for no order of products: the others can be made again and again.
pub(crate) struct PassPipeline<'g> {
    passes: Passes<'g>,
    /// Whether nothing has been made since what is computed twice was looked for.
    is_cse_done: bool,
    /// Sources whose elements stay from run to run, by their slots: none where nothing is to be kept.
    is_kept: Vec<bool>,
}

impl<'g> PassPipeline<'g> {
    /// Makes the first passes. Sources that stay as they are from run to run are `is_kept`, by their slots.
    ///
    /// # Errors
    /// A broken promise of the graph, in debug builds.
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
        finished(self.ordered(limited)?, choices, is_block)
    }

    /// The same in two parts where sources stay as they are from run to run: what depends on these alone is computed once, and costs
    /// nothing then.
    ///
    /// # Errors
    /// As [`optimize`].
    pub(crate) fn optimize_keeping(&self, limited: Option<Limited<'_>>) -> Result<Hoisted, Error> {
        let Passes { choices, is_block, .. } = self.passes;
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
        Ok(Hoisted { once: finished(once, choices, is_block)?, each: finished(each, choices, is_block)? })
    }

    /// The passes from the orders of products up to those that make products part of what is done with them.
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

/// The passes that make products part of what is done with them.
fn finished(graph: OpGraph, choices: &Choices, is_block: bool) -> Result<OpGraph, Error> {
    let mut passes = Passes { graph: None, first: &graph, choices, is_block };
    passes.choose(Pass::ChainAccumulate, chain_accumulate)?;
    passes.choose(Pass::Finish, finish)?;
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
