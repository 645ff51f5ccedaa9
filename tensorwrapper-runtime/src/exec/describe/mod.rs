//! Describes operations of a graph in text: their equations, with the program's names, and their classes.
//!
//! Explanations and the spans of `tracing` use these texts. Knows only graphs, and no computation depends on it.

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
