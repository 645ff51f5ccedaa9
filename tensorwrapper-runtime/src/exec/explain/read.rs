//! Graph → steps: of which class each is, what it costs, and what is alive while it runs.

use std::time::Duration;

use super::equation::{Names, Part};
use super::{Class, ExplainedStep, Explanation, Links, Role, ShownTensor};
use crate::optimize::count;
use tensorwrapper_core::backend::{Binary, Instruction, Program};
use tensorwrapper_core::graph::{Edge, Label, OpGraph, Operation, OperationId, OperationNode, TensorId};
use tensorwrapper_order::Rates;

/// Explains a graph as it is computed, after all passes. `live` are the bytes that are there
/// while each step runs, `peak` what a run takes.
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
    Explanation { tensors, steps, links, makers, rates, device, peak, taken: None, runs: 0, replay: None }
}

/// Bytes that are there while a step runs, and, of one that is made in parts, while each step of a part does.
#[derive(Clone, Debug)]
pub(in crate::exec) struct Live {
    pub(in crate::exec) bytes: u128,
    pub(in crate::exec) inner: Vec<u128>,
}

/// What the steps of a graph are called.
pub(in crate::exec) struct StepNames<'g>(Names<'g>);

impl<'g> StepNames<'g> {
    pub(in crate::exec) fn new(graph: &'g OpGraph) -> StepNames<'g> {
        StepNames(Names::new(graph, Part::Whole))
    }

    /// Equation, class and operations of a step.
    pub(in crate::exec) fn describe(&self, graph: &'g OpGraph, id: OperationId) -> (String, &'static str, f64) {
        let node = graph.operation(id);
        (self.0.equation(graph, id), class(node).0.name(), count::operation(node))
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
        Operation::Sliced { parts, body } => {
            let names = names.inside(graph, id, body);
            let live = |id: OperationId| Live { bytes: live.inner[id.0], inner: Vec::new() };
            let steps = body.operation_ids().zip(body.operations());
            inner = steps.map(|(id, node)| step(body, &names, (id, node), &live(id))).collect();
            (count::parts(node, parts) as u128).saturating_mul(inner.iter().map(|step| step.traffic).sum())
        }
        _ => node.inputs.iter().map(|edge| read_bytes(graph, node, edge)).sum::<u128>() + made(graph, node),
    };
    ExplainedStep {
        equation: names.equation(graph, id),
        class,
        batched,
        library: None,
        on_host: false,
        is_measured: false,
        operations: count::operation(node),
        traffic,
        made: made(graph, node),
        live: live.bytes,
        predicted: Duration::ZERO,
        measured: None,
        inner,
    }
}

/// The time of a step by these rates.
pub(super) fn predicted(step: &ExplainedStep, links: &Links, tensors: &[ShownTensor], rates: Rates) -> Duration {
    seconds(step, widest(links, tensors), rates)
}

/// Bytes of an element of those that a step reads and makes.
pub(super) fn widest(links: &Links, tensors: &[ShownTensor]) -> usize {
    links.reads.iter().chain(&links.makes).map(|&n| tensors[n].dtype.size()).max().unwrap_or(1)
}

/// The time of a step on elements of so many bytes.
pub(super) fn seconds(step: &ExplainedStep, widest: usize, rates: Rates) -> Duration {
    let elements = step.traffic as f64 / widest as f64;
    let is_matrix = matches!(step.class, Class::MatMul | Class::Decomposition | Class::Parts);
    Duration::try_from_secs_f64(rates.seconds(is_matrix, step.operations, elements)).unwrap_or(Duration::MAX)
}

/// Of which class an operation is, and whether it is batched.
fn class(node: &OperationNode) -> (Class, bool) {
    match &node.operation {
        Operation::Contract { then, .. } => match &node.inputs[..if then.is_some() { 2 } else { node.inputs.len() }] {
            [a, b] => product(node, &a.labels(), &b.labels()),
            _ if node.outputs[0].axes.len() < node.extents.len() => (Class::Reduction, false),
            [_] if then.is_none() => (Class::Permutation, false),
            _ => (Class::ElementWise, false),
        },
        Operation::Map { program, .. } => {
            let folds = node.outputs[0].axes.len() < node.extents.len();
            // A product of which nothing is summed is element-wise to those who compute it, and has a name all the same.
            if let ([a, b], false) = (&node.inputs[..], folds)
                && is_product(program)
            {
                return product(node, &a.labels(), &b.labels());
            }
            let class = match program.instructions() {
                _ if folds => Class::Reduction,
                [Instruction::Input(0)] => Class::Permutation,
                _ if is_axpy(node, program) => Class::Axpy,
                _ => Class::ElementWise,
            };
            (class, false)
        }
        Operation::Factorise(call) => (Class::Decomposition, call.batch > 0),
        Operation::Sliced { .. } => (Class::Parts, false),
        Operation::Reshape => (Class::Reshape, false),
        Operation::Write { .. } => (Class::Permutation, false),
    }
}

/// The class of a product of two factors. What only one of them has and the result lacks is summed before, and does not count.
fn product(node: &OperationNode, a: &[Label], b: &[Label]) -> (Class, bool) {
    let kept = node.outputs[0].labels();
    let both = |label: &&Label| a.contains(label) && b.contains(label);
    let batched = kept.iter().any(|label| both(&label));
    let summed = a.iter().any(|label| b.contains(label) && !kept.contains(label));
    let own = |labels: &[Label], other: &[Label]| labels.iter().any(|label| kept.contains(label) && !other.contains(label));
    match (summed, own(a, b), own(b, a)) {
        (true, true, true) => (Class::MatMul, batched),
        (true, true, false) | (true, false, true) => (Class::MatVec, batched),
        (true, false, false) => (Class::Dot, batched),
        (false, true, true) => (Class::Outer, batched),
        (false, true, false) | (false, false, true) => (Class::Axpy, batched),
        (false, false, false) => (Class::ElementWise, false),
    }
}

/// Whether a program multiplies its inputs, perhaps with numbers, and does nothing else.
fn is_product(program: &Program) -> bool {
    program.instructions().iter().all(|instruction| match instruction {
        Instruction::Input(_) | Instruction::Constant(_) | Instruction::Negate(_) => true,
        Instruction::Combine(operator, ..) => *operator == Binary::Multiply,
        Instruction::Converted(_)
        | Instruction::Apply(..)
        | Instruction::PowerInteger(..)
        | Instruction::PowerReal(..)
        | Instruction::Call(..) => false,
    })
}

/// Whether a program adds two whole tensors, each perhaps times a number.
fn is_axpy(node: &OperationNode, program: &Program) -> bool {
    let whole = node.inputs.iter().all(|edge| edge.labels().len() == node.extents.len());
    // What each register is: a number, a tensor times a number, a sum of such.
    #[derive(Clone, Copy, PartialEq)]
    enum Is {
        Number,
        Scaled,
        Sum,
        Other,
    }
    let mut registers: Vec<Is> = Vec::new();
    for instruction in program.instructions() {
        registers.push(match *instruction {
            Instruction::Input(_) => Is::Scaled,
            Instruction::Constant(_) => Is::Number,
            Instruction::Negate(a) => registers[a],
            Instruction::Combine(operator, a, b) => match (operator, registers[a], registers[b]) {
                (Binary::Multiply, Is::Scaled, Is::Number) | (Binary::Multiply, Is::Number, Is::Scaled) => Is::Scaled,
                (Binary::Divide, Is::Scaled, Is::Number) => Is::Scaled,
                (Binary::Add | Binary::Subtract, Is::Scaled, Is::Scaled) => Is::Sum,
                _ => Is::Other,
            },
            Instruction::Converted(_)
            | Instruction::Apply(..)
            | Instruction::PowerInteger(..)
            | Instruction::PowerReal(..)
            | Instruction::Call(..) => Is::Other,
        });
    }
    let made = registers.last().copied();
    whole && (made == Some(Is::Sum) || made == Some(Is::Scaled))
}

/// Bytes of the part of a tensor that an operation reads.
fn read_bytes(graph: &OpGraph, node: &OperationNode, edge: &Edge) -> u128 {
    let size = graph.tensor(edge.tensor).dtype.size() as u128;
    edge.labels().iter().fold(size, |bytes, &label| bytes.saturating_mul(node.extents[label] as u128))
}

fn made(graph: &OpGraph, node: &OperationNode) -> u128 {
    node.outputs.iter().map(|edge| graph.tensor(edge.tensor).bytes()).fold(0, u128::saturating_add)
}
