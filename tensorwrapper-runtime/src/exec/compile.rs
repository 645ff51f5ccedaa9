//! From recorded values to plans, and from there to tensors.

use std::sync::Arc;

use super::context::Context;
use super::kernel_requests::make;
use super::limit::within;
use super::placed::Placed;
use super::plan::Plan;
use super::planner;
use super::run::{Computed, Execution, Observer, ResultPlacement};
use crate::expr::Value;
use crate::link::Link;
use crate::lower::{Lowered, SourceTensor, lower, lower_over, lower_with_places};
use crate::optimize::is_optimal;
use crate::tensor::AnyTensor;
use tensorwrapper_core::backend::BackendInstance;
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::graph::OpGraph;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::SliceRef;

/// A plan, the tensors that it reads, and the functions that it calls.
pub(crate) struct Planned<'a> {
    pub(crate) plan: Plan,
    pub(crate) sources: Vec<SourceTensor<'a>>,
    pub(crate) functions: Vec<Callback<'a>>,
    /// The backend that it was made for: the backend of the context, or of the device on which the sources are.
    pub(crate) backend: Arc<BackendInstance>,
}

impl Planned<'_> {
    /// Runs the plan.
    ///
    /// # Errors
    /// What the device reports: memory, decompositions, reductions over nothing.
    pub(crate) fn run(&self, observer: &Observer, placement: ResultPlacement) -> Result<Computed, Error> {
        let sources: Vec<SliceRef<'_>> = self.sources.iter().map(SourceTensor::data).collect();
        let execution = Execution { functions: &self.functions, ..Execution::new(&self.plan, &self.backend, observer) };
        execution.run(&sources, placement)
    }
}

/// Computes recorded values together and returns them in the order given. Shared parts are computed once.
///
/// # Errors
/// What the device reports: memory, decompositions, reductions over nothing.
pub(crate) fn evaluate(context: &Context, values: &[Link<Value<'_>>]) -> Result<Vec<AnyTensor>, Error> {
    evaluate_to(context, values, ResultPlacement::Host)
}

/// The same with results that may stay on a device.
///
/// # Errors
/// As [`evaluate`].
pub(super) fn evaluate_to(
    context: &Context,
    values: &[Link<Value<'_>>],
    placement: ResultPlacement,
) -> Result<Vec<AnyTensor>, Error> {
    let planned = planned(context, values)?;
    Ok(tensors(planned.run(&context.observer, placement)?, &planned.plan))
}

/// The results of a run of a plan, as tensors.
pub(super) fn tensors(computed: Computed, plan: &Plan) -> Vec<AnyTensor> {
    computed.into_iter().zip(&plan.results).map(|(buffer, layout)| AnyTensor::from_buffer(buffer, layout.clone())).collect()
}

/// The plan that computes recorded values, the tensors that it reads, and the functions that it calls.
///
/// # Errors
/// Intermediates larger than memory can address, and what passes and the backend report.
pub(crate) fn planned<'a>(context: &Context, values: &[Link<Value<'a>>]) -> Result<Planned<'a>, Error> {
    let (Lowered { graph, sources, functions }, context) = lowered_for(context, values)?;
    let (context, layouts) = (&*context, sources.iter().map(|source| source.layout().clone()).collect::<Vec<Strided>>());
    Ok(Planned { plan: compile(context, graph, &layouts)?, sources, functions, backend: Arc::clone(&context.backend) })
}

/// Recorded values as a graph of operations that the context's device has, or the device on which the tensors lie, and the context of that
/// one.
///
/// # Errors
/// Tensors on different devices.
pub(super) fn lowered_for<'c, 'a>(context: &'c Context, values: &[Link<Value<'a>>]) -> Result<(Lowered<'a>, Placed<'c>), Error> {
    let finds_places = |backend: &BackendInstance| {
        let device = backend.device();
        !backend.compiles() && device.resident().is_none() && device.places().is_some()
    };
    let with_places = finds_places(&context.backend);
    let lowered = if with_places { lower_with_places(values) } else { lower(values) };
    let placed = context.placed(lowered.sources.iter().filter_map(SourceTensor::borrowed))?;
    let lowered = if with_places && !finds_places(&placed.backend) { lower(values) } else { lowered };
    Ok((lowered, placed))
}

/// The plan that computes a value from tensors. Each tensor is a source of its own, in this order, even if several share
/// memory. The values are products of subscripts, in which no place is looked for.
///
/// # Errors
/// As [`planned`].
pub(super) fn planned_over(context: &Context, tensors: &[Link<Value<'_>>], value: &Link<Value<'_>>) -> Result<Plan, Error> {
    let Lowered { graph, sources, .. } = lower_over(tensors, std::slice::from_ref(value));
    let layouts: Vec<Strided> = sources.iter().map(|source| source.layout().clone()).collect();
    compile(context, graph, &layouts)
}

/// The plan of a graph that no pass would change.
///
/// # Errors
/// As [`planned`].
pub(super) fn planned_as_is(context: &Context, graph: OpGraph, layouts: &[Strided]) -> Result<Plan, Error> {
    let plan = plan(&context.backend, graph, layouts)?;
    make(context.backend.device(), &[&plan])?;
    Ok(plan)
}

/// The plan of a graph over sources with these layouts, after all passes and within the context's memory limit.
///
/// # Errors
/// [`ErrorKind::Limit`](tensorwrapper_core::error::ErrorKind::Limit) when no plan is within the limit; otherwise as
/// [`planned`].
pub(super) fn compile(context: &Context, graph: OpGraph, layouts: &[Strided]) -> Result<Plan, Error> {
    let graph = rewritten(context, graph)?;
    // The commonest graph: one product of two tensors, which no pass changes.
    if context.choices.memory.is_none() && is_optimal(&graph, &context.choices) {
        return planned_as_is(context, graph, layouts);
    }
    within((context.backend.device(), &context.choices), (&graph, &[]), |begun, limited| {
        plan(&context.backend, begun.optimize(limited)?, layouts)
    })
}

/// A graph as lowered after the program's own passes.
///
/// # Errors
/// Faults of a pass, and in debug builds faults of the graph.
pub(super) fn rewritten(context: &Context, graph: OpGraph) -> Result<OpGraph, Error> {
    if cfg!(debug_assertions) {
        graph.verify()?;
    }
    context.passes.apply(graph)
}

/// The plan of a graph without further passes: the executable of the backend if it compiles whole graphs, otherwise steps for
/// its device.
///
/// # Errors
/// Intermediates larger than memory can address, and what the backend reports.
pub(super) fn plan(backend: &BackendInstance, graph: OpGraph, layouts: &[Strided]) -> Result<Plan, Error> {
    if backend.compiles()
        && graph.functions() == 0
        && let Some(executable) = backend.compile(&graph, layouts)?
    {
        let results = graph.sinks().iter().map(|sink| Strided::row_major(&graph.tensor(*sink).extents));
        let results = results.collect::<Result<Vec<Strided>, Error>>()?;
        return Ok(Plan::whole(graph, executable, results));
    }
    planner::plan(backend.device(), graph, layouts)
}
