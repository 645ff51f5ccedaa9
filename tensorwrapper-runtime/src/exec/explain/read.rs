//! Converts a graph to explained steps: the class of each, its cost, and the memory in use while it runs.

use std::time::Duration;

use super::explanation::{ExplainedStep, Explanation, Links, Role, ShownTensor};
use crate::exec::describe::{Class, Names, Part, class};
use crate::exec::memory::Live;
use tensorwrapper_core::graph::{Edge, OpGraph, Operation, OperationId, OperationNode, TensorId};
use tensorwrapper_order::Rates;

/// Explains a graph as it is computed, after all passes. `live` has the bytes in use while each step runs, `peak` the bytes of
/// a run.
pub(in crate::exec) fn explain(graph: &OpGraph, part: Part, device: String, live: &[Live], peak: u128) -> Explanation {
    let names = Names::new(graph, part);
    let sources: Vec<TensorId> = graph.sources().collect();
    let made = graph.tensor_ids().filter(|id| graph.tensor(*id).producer.is_some());
    let order: Vec<TensorId> = sources.into_iter().chain(made).collect();
    let mut places = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, id)| places[id.0] = place);
    let tensors: Vec<ShownTensor> = order.iter().map(|&id| shown(graph, &names, id)).collect();
    let rates = Rates::default();
    let mut links = Vec::with_capacity(graph.operations().len());
    let mut steps = Vec::with_capacity(graph.operations().len());
    for (id, node) in graph.operation_ids().zip(graph.operations()) {
        let mut reads: Vec<usize> = Vec::new();
        for edge in &node.inputs {
            let read = places[edge.tensor.0];
            if !reads.contains(&read) {
                reads.push(read);
            }
        }
        let makes = node.outputs.iter().map(|edge| places[edge.tensor.0]).collect();
        let own = Links { reads, makes };
        let mut step = step(graph, &names, (id, node), &live[id.0]);
        let widest = widest(&own, &tensors);
        step.inner.iter_mut().for_each(|inner| inner.predicted = seconds(inner, widest, rates));
        step.predicted = predicted(&step, &own, &tensors, rates);
        links.push(own);
        steps.push(step);
    }
    let mut makers = vec![None; tensors.len()];
    links.iter().enumerate().for_each(|(n, links)| links.makes.iter().for_each(|&made| makers[made] = Some(n)));
    Explanation {
        tensors,
        steps,
        links,
        makers,
        rates,
        device,
        peak,
        taken: None,
        runs: 0,
        replay: None,
        integers: None,
        equations: None,
    }
}

fn shown(graph: &OpGraph, names: &Names<'_>, id: TensorId) -> ShownTensor {
    let node = graph.tensor(id);
    let role = match node.slot {
        Some(_) => Role::Given,
        None if names.is_result(id) => Role::Wanted,
        None => Role::Intermediate,
    };
    ShownTensor { name: names.tensor(id).to_string(), extents: node.extents.clone(), dtype: node.dtype, role }
}

fn step(graph: &OpGraph, names: &Names<'_>, (id, node): (OperationId, &OperationNode), live: &Live) -> ExplainedStep {
    let (class, batched) = class(node);
    let mut inner = Vec::new();
    let traffic = match &node.operation {
        Operation::Reshape => 0,
        Operation::Sliced { body, .. } => {
            let names = names.inside(graph, id, body);
            let live = |id: OperationId| Live { bytes: live.inner[id.0], inner: Vec::new() };
            let steps = body.operation_ids().zip(body.operations());
            inner = steps.map(|(id, node)| step(body, &names, (id, node), &live(id))).collect();
            (node.parts() as u128).saturating_mul(inner.iter().map(|step| step.traffic).sum())
        }
        _ => node.inputs.iter().map(|edge| read_bytes(graph, node, edge)).sum::<u128>() + made(graph, node),
    };
    ExplainedStep {
        equation: names.equation(graph, id),
        class,
        batched,
        library: None,
        method: None,
        on_host: false,
        is_measured: false,
        operations: node.cost(),
        traffic,
        made: made(graph, node),
        live: live.bytes,
        predicted: Duration::ZERO,
        measured: None,
        inner,
        product: product(node),
    }
}

/// The time of a step by these rates.
fn predicted(step: &ExplainedStep, links: &Links, tensors: &[ShownTensor], rates: Rates) -> Duration {
    seconds(step, widest(links, tensors), rates)
}

/// Bytes of an element of those that a step reads and makes.
fn widest(links: &Links, tensors: &[ShownTensor]) -> usize {
    links.reads.iter().chain(&links.makes).map(|&n| tensors[n].dtype.size()).max().unwrap_or(1)
}

/// The time of a step on elements of so many bytes.
fn seconds(step: &ExplainedStep, widest: usize, rates: Rates) -> Duration {
    let is_fast = matches!(step.class, Class::MatMul | Class::Decomposition | Class::Parts);
    let seconds = match step.product {
        Some([left, right, result]) => rates.product(step.operations, [left, right], result),
        None => rates.seconds(is_fast, step.operations, step.traffic as f64 / widest as f64),
    };
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// Elements of both factors and of the result of a product of two tensors, if there are any.
fn product(node: &OperationNode) -> Option<[f64; 3]> {
    let (Operation::Contract { then: None, .. }, [left, right], [result]) =
        (&node.operation, &node.inputs[..], &node.outputs[..])
    else {
        return None;
    };
    let elements = |edge: &Edge| edge.labels().iter().map(|&label| node.extents[label] as f64).product();
    Some([left, right, result].map(elements)).filter(|_| !node.extents.contains(&0))
}

/// Bytes of the part of a tensor that an operation reads.
fn read_bytes(graph: &OpGraph, node: &OperationNode, edge: &Edge) -> u128 {
    let size = graph.tensor(edge.tensor).dtype.size() as u128;
    edge.labels().iter().fold(size, |bytes, &label| bytes.saturating_mul(node.extents[label] as u128))
}

fn made(graph: &OpGraph, node: &OperationNode) -> u128 {
    node.outputs.iter().map(|edge| graph.tensor(edge.tensor).bytes()).fold(0, u128::saturating_add)
}

impl Explanation {
    /// The same explanation with times predicted from the rates of another machine.
    #[must_use]
    pub fn rates(mut self, rates: Rates) -> Explanation {
        self.rates = rates;
        for (step, links) in self.steps.iter_mut().zip(&self.links) {
            step.predicted = predicted(step, links, &self.tensors, rates);
            let widest = widest(links, &self.tensors);
            step.inner.iter_mut().for_each(|inner| inner.predicted = seconds(inner, widest, rates));
        }
        self
    }
}
