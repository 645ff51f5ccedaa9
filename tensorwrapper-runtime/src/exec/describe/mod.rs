//! Operations of a graph in words: their equations in the program's names, and their classes.
//!
//! Explanations and the spans of `tracing` are written in them. Knows graphs alone; nothing is computed from it.

mod class;
mod equation;

pub use class::Class;
pub(super) use class::class;
pub(super) use equation::{Names, Part};

use tensorwrapper_core::graph::{OpGraph, OperationId};

/// What the steps of a graph are called.
pub(super) struct StepNames<'g>(Names<'g>);

impl<'g> StepNames<'g> {
    pub(super) fn new(graph: &'g OpGraph) -> StepNames<'g> {
        StepNames(Names::new(graph, Part::Whole))
    }

    /// Equation, class and operations of a step.
    pub(super) fn describe(&self, graph: &'g OpGraph, id: OperationId) -> (String, &'static str, f64) {
        let node = graph.operation(id);
        (self.0.equation(graph, id), class(node).0.name(), node.cost())
    }
}
