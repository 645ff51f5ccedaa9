//! Cuts contractions of three and more factors into pairs.

use num_complex::Complex;

use super::Choices;
use super::order::{Network, path};
use super::rewrite::{keep, rewrite};
use crate::graph::{Edge, EdgeAxis, Label, OpGraph, Operation, OperationNode, TensorId};

/// The same graph with at most two factors in each contraction.
pub(super) fn pairwise(graph: &OpGraph, choices: Choices) -> OpGraph {
    rewrite(graph, |result, node, inputs| match node.operation {
        Operation::Contract { alpha, .. } if inputs.len() > 2 => vec![split(result, graph, node, inputs, alpha, choices)],
        _ => keep(graph, result, node, inputs),
    })
}

/// One contraction as a sequence of pairs; the factor in front goes with the last.
fn split(
    result: &mut OpGraph,
    graph: &OpGraph,
    node: &OperationNode,
    inputs: Vec<Edge>,
    alpha: Complex<f64>,
    choices: Choices,
) -> TensorId {
    let output = node.outputs[0].labels();
    let dtype = graph.tensor(node.outputs[0].tensor).dtype;
    let network =
        Network { inputs: inputs.iter().map(Edge::labels).collect(), output: output.clone(), extents: node.extents.clone() };
    // How many factors that are still to be multiplied have a label, the result included.
    let mut holders = vec![0usize; network.extents.len()];
    network.inputs.iter().chain([&output]).flatten().for_each(|&label| holders[label] += 1);
    let mut live: Vec<Option<Edge>> = inputs.into_iter().map(Some).collect();
    let pairs = path(&network, choices.order, choices.seed);
    let last = pairs.len() - 1;
    for (n, (a, b)) in pairs.into_iter().enumerate() {
        let factors = [a, b].map(|factor| live[factor].take().expect("a path uses each factor once"));
        let labels = [factors[0].labels(), factors[1].labels()];
        labels.iter().flatten().for_each(|&label| holders[label] -= 1);
        let (kept, alpha) = match n == last {
            true => (output.clone(), alpha),
            false => (Network::kept([&labels[0], &labels[1]], |label| holders[label] > 0), Complex::new(1.0, 0.0)),
        };
        kept.iter().for_each(|&label| holders[label] += 1);
        live.push(Some(pair(result, factors, &kept, alpha, (graph, node, dtype))));
    }
    live.pop().flatten().expect("the last pair makes the result").tensor
}

/// A contraction of two factors over exactly the labels that they have.
fn pair(
    result: &mut OpGraph,
    mut factors: [Edge; 2],
    kept: &[Label],
    alpha: Complex<f64>,
    (graph, node, dtype): (&OpGraph, &OperationNode, crate::element::Dtype),
) -> Edge {
    let mut numbers = kept.to_vec();
    for label in factors.iter().flat_map(Edge::labels) {
        if !numbers.contains(&label) {
            numbers.push(label);
        }
    }
    for axis in factors.iter_mut().flat_map(|edge| &mut edge.axes) {
        if let EdgeAxis::Label { label, .. } = axis {
            *label = numbers.iter().position(|n| n == label).expect("every label of a factor has a number");
        }
    }
    let own_extents = numbers.iter().map(|&l| node.extents[l]).collect();
    let outputs: Vec<Label> = (0..kept.len()).collect();
    let tensor =
        result.add_operation(Operation::Contract { alpha, then: None }, factors.to_vec(), &[(&outputs, dtype)], own_extents)[0];
    result.name_last_as(graph, node, numbers.into_iter());
    Edge::whole(tensor, kept)
}
