//! Cuts contractions of three and more factors into pairs, and where they are limited, what the pairs work on into parts.

use num_complex::Complex;

use super::Choices;
use super::order::{Network, Path, cut, path, usual};
use super::rewrite::{keep, rewrite};
use crate::element::Dtype;
use crate::error::Error;
use crate::graph::{Edge, EdgeAxis, Label, OpGraph, Operation, OperationNode, TensorId};

/// How large products may be.
#[derive(Debug)]
pub(crate) struct Limited<'p> {
    /// The logarithm of base 2 of the elements of a product.
    pub(crate) elements: f64,
    /// Orders that were found without a limit, one for each product of three and more factors: filled when it is empty.
    pub(crate) paths: &'p mut Vec<Path>,
}

/// The same graph with at most two factors in each contraction.
///
/// # Errors
/// An order of the program's that does not fit a product.
pub(super) fn pairwise(graph: &OpGraph, choices: &Choices, limited: Option<Limited<'_>>) -> Result<OpGraph, Error> {
    let mut orders = Orders { choices, limited, met: 0 };
    let mut failed = None;
    let result = rewrite(graph, |result, node, inputs| match node.operation {
        Operation::Contract { alpha, .. } if inputs.len() > 2 && failed.is_none() => {
            let split = Split::new(graph, node, &inputs, alpha);
            match orders.find(&split.network) {
                Ok((pairs, parts)) => vec![split.run(result, inputs, pairs, parts)],
                Err(error) => {
                    failed = Some(error);
                    keep(graph, result, node, inputs)
                }
            }
        }
        _ => keep(graph, result, node, inputs),
    });
    failed.map_or(Ok(result), Err)
}

/// Where orders come from.
struct Orders<'c, 'p> {
    choices: &'c Choices,
    limited: Option<Limited<'p>>,
    /// Products that were met.
    met: usize,
}

impl Orders<'_, '_> {
    /// The order of the next product, and of which labels how many values are taken at a time.
    fn find(&mut self, network: &Network) -> Result<(Path, Vec<(Label, usize)>), Error> {
        let Choices { order, minimize, seed, .. } = self.choices;
        let search = || match minimize {
            Some(minimize) => path(network, order, *minimize, *seed),
            None => usual(network, order, *seed),
        };
        let Some(Limited { elements, paths }) = &mut self.limited else { return Ok((search()?, Vec::new())) };
        if paths.len() == self.met {
            paths.push(search()?);
        }
        self.met += 1;
        Ok(cut(network, &paths[self.met - 1], (order, minimize.unwrap_or_default(), *seed), *elements))
    }
}

/// One contraction as a sequence of pairs; the factor in front goes with the last.
struct Split<'g> {
    /// Where it comes from, whose names its pairs have.
    origin: (&'g OpGraph, &'g OperationNode),
    network: Network,
    alpha: Complex<f64>,
    dtype: Dtype,
}

impl<'g> Split<'g> {
    fn new(graph: &'g OpGraph, node: &'g OperationNode, inputs: &[Edge], alpha: Complex<f64>) -> Split<'g> {
        let network = Network {
            inputs: inputs.iter().map(Edge::labels).collect(),
            output: node.outputs[0].labels(),
            extents: node.extents.clone(),
        };
        Split { origin: (graph, node), network, alpha, dtype: graph.tensor(node.outputs[0].tensor).dtype }
    }

    /// Adds the pairs to a graph. What depends on a label that is cut goes into the body of one operation.
    fn run(&self, result: &mut OpGraph, inputs: Vec<Edge>, pairs: Path, parts: Vec<(Label, usize)>) -> TensorId {
        let Network { output, extents, .. } = &self.network;
        // How many factors that are still to be multiplied have a label, the result included.
        let mut holders = vec![0usize; extents.len()];
        self.network.inputs.iter().chain([output]).flatten().for_each(|&label| holders[label] += 1);
        let mut sliced = Sliced::new(extents, parts, self.dtype);
        sliced.body.names_of(self.origin.0);
        let mut live: Vec<Option<Factor>> = inputs.into_iter().map(|edge| Some(Factor { edge, is_inside: false })).collect();
        let last = pairs.len() - 1;
        for (n, (a, b)) in pairs.into_iter().enumerate() {
            let factors = [a, b].map(|factor| live[factor].take().expect("a path uses each factor once"));
            let labels = [0, 1].map(|n| factors[n].edge.labels());
            labels.iter().flatten().for_each(|&label| holders[label] -= 1);
            let (kept, alpha) = match n == last {
                true => (output.clone(), self.alpha),
                false => (Network::kept([&labels[0], &labels[1]], |label| holders[label] > 0), Complex::new(1.0, 0.0)),
            };
            kept.iter().for_each(|&label| holders[label] += 1);
            let is_inside = factors.iter().any(|factor| factor.is_inside) || labels.iter().flatten().any(|&l| sliced.cuts(l));
            let edge = if is_inside {
                let factors = factors.map(|factor| sliced.inside(factor));
                pair(&mut sliced.body, (factors, &labels), &kept, alpha, (&sliced.extents, self.dtype), self.origin)
            } else {
                let factors = factors.map(|factor| factor.edge);
                pair(result, (factors, &labels), &kept, alpha, (extents, self.dtype), self.origin)
            };
            live.push(Some(Factor { edge, is_inside }));
        }
        let made = live.pop().flatten().expect("the last pair makes the result");
        if !made.is_inside {
            return made.edge.tensor;
        }
        let Sliced { mut body, parts, inputs, .. } = sliced;
        body.add_sink(made.edge.tensor);
        let operation = Operation::Sliced { parts, body: Box::new(body) };
        let made = result.add_operation(operation, inputs, &[(output, self.dtype)], extents.clone())[0];
        result.name_last_as(self.origin.0, self.origin.1, 0..extents.len());
        made
    }
}

/// A factor: in the graph, or inside of the body of what is done in parts.
struct Factor {
    edge: Edge,
    is_inside: bool,
}

/// What is done in parts.
struct Sliced {
    body: OpGraph,
    parts: Vec<(Label, usize)>,
    /// The extents of all labels in a part.
    extents: Vec<usize>,
    /// What the body reads, in the order of its sources.
    inputs: Vec<Edge>,
    dtype: Dtype,
}

impl Sliced {
    fn new(extents: &[usize], parts: Vec<(Label, usize)>, dtype: Dtype) -> Sliced {
        let mut extents = extents.to_vec();
        parts.iter().for_each(|&(label, length)| extents[label] = length);
        Sliced { body: OpGraph::new(), parts, extents, inputs: Vec::new(), dtype }
    }

    fn cuts(&self, label: Label) -> bool {
        self.parts.iter().any(|&(cut, _)| cut == label)
    }

    /// A factor as the body reads it.
    fn inside(&mut self, factor: Factor) -> Edge {
        let Factor { edge, is_inside } = factor;
        if is_inside {
            return edge;
        }
        let labels = edge.labels();
        let source = self.body.add_source(labels.iter().map(|&label| self.extents[label]).collect(), self.dtype);
        let conjugate = edge.conjugate;
        self.inputs.push(Edge { conjugate: false, ..edge });
        Edge { conjugate, ..Edge::whole(source, &labels) }
    }
}

/// A contraction of two factors over exactly the labels that they have.
fn pair(
    result: &mut OpGraph,
    (mut factors, labels): ([Edge; 2], &[Vec<Label>; 2]),
    kept: &[Label],
    alpha: Complex<f64>,
    (extents, dtype): (&[usize], Dtype),
    (graph, node): (&OpGraph, &OperationNode),
) -> Edge {
    let mut numbers = kept.to_vec();
    for label in labels.iter().flatten() {
        if !numbers.contains(label) {
            numbers.push(*label);
        }
    }
    for axis in factors.iter_mut().flat_map(|edge| &mut edge.axes) {
        if let EdgeAxis::Label { label, .. } = axis {
            *label = numbers.iter().position(|n| n == label).expect("every label of a factor has a number");
        }
    }
    let own_extents = numbers.iter().map(|&l| extents[l]).collect();
    let outputs: Vec<Label> = (0..kept.len()).collect();
    let tensor =
        result.add_operation(Operation::Contract { alpha, then: None }, factors.into(), &[(&outputs, dtype)], own_extents)[0];
    result.name_last_as(graph, node, numbers.into_iter());
    Edge::whole(tensor, kept)
}
