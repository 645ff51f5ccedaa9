//! Splits contractions of three and more factors into pairs. If products are limited in size, larger pairs are computed in
//! parts.

use num_complex::Complex;

use super::choices::Choices;
use smallvec::SmallVec;

use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::graph::{Edge, EdgeAxis, Label, OpGraph, Operation, OperationNode, Origin, Rewriter, TensorId};
use tensorwrapper_order::internal::{Labels, Network, Path, cut, path, usual};

/// The limits on the size of products, and on what the passes may take for intermediates that wait.
#[derive(Debug)]
pub(crate) struct Limited<'p> {
    /// The most elements of a product, as a logarithm of base 2.
    pub(crate) elements: f64,
    /// The bytes beyond which intermediates are computed again rather than kept; nothing if they are to be kept.
    pub(crate) again: Option<f64>,
    /// Orders that were found without a limit, one for each product of three and more factors. If it is empty, it is filled.
    pub(crate) paths: &'p mut Vec<Path>,
}

/// The graph with at most two factors in each contraction; `None` if no contraction has more.
///
/// # Errors
/// An order given by the program that does not fit a product.
pub(super) fn pairwise(graph: &OpGraph, choices: &Choices, limited: Option<Limited<'_>>) -> Result<Option<OpGraph>, Error> {
    if are_pairs(graph) {
        return Ok(None);
    }
    let mut orders = Orders { choices, limited, met: 0 };
    let mut failed = None;
    let result = Rewriter::run(graph, |rewriter, _, node| match node.operation.as_product() {
        Some(alpha) if node.inputs.len() > 2 && failed.is_none() => {
            let inputs = rewriter.inputs(node);
            let network = Network {
                inputs: inputs.iter().map(Edge::labels).collect(),
                output: node.outputs[0].labels(),
                extents: node.extents.clone(),
            };
            match orders.find(&network) {
                Ok((pairs, parts)) => {
                    let (output, extents) = (&network.output[..], &network.extents[..]);
                    let dtype = graph.tensor(node.outputs[0].tensor).dtype;
                    let split = Split { origins: graph.origins_of(node).unwrap_or_default(), output, extents, alpha, dtype };
                    let labels = network.inputs.iter().map(|labels| Labels::from_slice(labels));
                    vec![split.run(rewriter.graph_mut(), inputs.into_iter().zip(labels), &pairs, parts)]
                }
                Err(error) => {
                    failed = Some(error);
                    rewriter.keep_over(node, inputs)
                }
            }
        }
        _ => rewriter.keep(node),
    });
    failed.map_or(Ok(Some(result)), Err)
}

/// Whether no product has more than two factors.
pub(super) fn are_pairs(graph: &OpGraph) -> bool {
    let is_pair = |node: &OperationNode| node.operation.as_product().is_none() || node.inputs.len() <= 2;
    graph.operations().iter().all(is_pair)
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
        let Some(Limited { elements, paths, .. }) = &mut self.limited else { return Ok((search()?, Vec::new())) };
        if paths.len() == self.met {
            paths.push(search()?);
        }
        self.met += 1;
        Ok(cut(network, &paths[self.met - 1], (order, minimize.unwrap_or_default(), *seed), *elements))
    }
}

/// One contraction as a sequence of pairs; the last pair has the factor `alpha`.
pub(super) struct Split<'g> {
    /// Where its labels come from, which its pairs' labels then do, too; empty where that is not known.
    pub(super) origins: &'g [Origin],
    /// The labels of the result, and the extents of all.
    pub(super) output: &'g [Label],
    pub(super) extents: &'g [usize],
    pub(super) alpha: Complex<f64>,
    pub(super) dtype: Dtype,
}

impl Split<'_> {
    /// Adds the pairs to a graph, which has the names of the contraction's labels. What depends on a label that is cut goes into the
    /// body of one operation.
    pub(super) fn run(
        &self,
        result: &mut OpGraph,
        inputs: impl ExactSizeIterator<Item = (Edge, Labels)>,
        pairs: &[(usize, usize)],
        parts: Vec<(Label, usize)>,
    ) -> TensorId {
        // How many factors that are still to be multiplied have a label, the result included.
        let mut holders: SmallVec<[usize; 16]> = SmallVec::from_elem(0, self.extents.len());
        self.output.iter().for_each(|&label| holders[label] += 1);
        let mut sliced = (!parts.is_empty()).then(|| Sliced::new(self.extents, parts, self.dtype));
        if let Some(sliced) = &mut sliced {
            sliced.body.names_of(result);
        }
        let mut live: Vec<Option<Factor>> = Vec::with_capacity(inputs.len() + pairs.len());
        for (edge, labels) in inputs {
            labels.iter().for_each(|&label| holders[label] += 1);
            live.push(Some(Factor { edge, labels, is_inside: false }));
        }
        let last = pairs.len() - 1;
        for (n, &(a, b)) in pairs.iter().enumerate() {
            let factors = [a, b].map(|factor| live[factor].take().expect("a path uses each factor once"));
            factors.iter().flat_map(|factor| &factor.labels).for_each(|&label| holders[label] -= 1);
            let (kept, alpha) = match n == last {
                true => (Labels::from_slice(self.output), self.alpha),
                false => {
                    let labels = factors.each_ref().map(|factor| &factor.labels[..]);
                    (Network::kept(labels, |label| holders[label] > 0), Complex::new(1.0, 0.0))
                }
            };
            kept.iter().for_each(|&label| holders[label] += 1);
            let cut = sliced.as_mut().filter(|sliced| factors.iter().any(|factor| sliced.holds(factor)));
            let is_inside = cut.is_some();
            let tensor = match cut {
                Some(sliced) => {
                    let factors = factors.map(|factor| sliced.inside(factor));
                    self.pair(&mut sliced.body, factors, &kept, alpha, &sliced.extents)
                }
                None => self.pair(result, factors, &kept, alpha, self.extents),
            };
            live.push(Some(Factor { edge: Edge::whole(tensor, &kept), labels: kept, is_inside }));
        }
        let made = live.pop().flatten().expect("the last pair makes the result");
        let Some(Sliced { mut body, parts, inputs, .. }) = sliced.filter(|_| made.is_inside) else { return made.edge.tensor };
        body.add_sink(made.edge.tensor);
        let operation = Operation::Sliced { parts, body: Box::new(body) };
        let made = result.add_operation(operation, inputs, &[(self.output, self.dtype)], self.extents.to_vec())[0];
        result.name_last_from(self.origins, 0..self.extents.len());
        made
    }

    /// Adds a contraction of two factors over exactly the labels that they have.
    fn pair(
        &self,
        result: &mut OpGraph,
        factors: [Factor; 2],
        kept: &[Label],
        alpha: Complex<f64>,
        extents: &[usize],
    ) -> TensorId {
        let mut numbers = Labels::from_slice(kept);
        for label in factors.iter().flat_map(|factor| &factor.labels) {
            if !numbers.contains(label) {
                numbers.push(*label);
            }
        }
        let numbered = |factor: Factor| {
            let mut edge = factor.edge;
            for axis in &mut edge.axes {
                if let EdgeAxis::Label { label, .. } = axis {
                    *label = numbers.iter().position(|n| n == label).expect("every label of a factor has a number");
                }
            }
            edge
        };
        let inputs = factors.map(numbered).into();
        let extents = numbers.iter().map(|&label| extents[label]).collect();
        let tensor = result.add_leading(Operation::product(alpha), inputs, kept.len(), self.dtype, extents);
        result.name_last_from(self.origins, numbers.into_iter());
        tensor
    }
}

/// A factor: in the graph, or inside of the body of what is done in parts.
struct Factor {
    edge: Edge,
    /// Those of the edge, each once.
    labels: Labels,
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

    /// Whether what is made of a factor is done in parts.
    fn holds(&self, factor: &Factor) -> bool {
        factor.is_inside || self.parts.iter().any(|(cut, _)| factor.labels.contains(cut))
    }

    /// A factor as the body reads it.
    fn inside(&mut self, factor: Factor) -> Factor {
        let Factor { edge, labels, is_inside } = factor;
        if is_inside {
            return Factor { edge, labels, is_inside };
        }
        let source = self.body.add_source(labels.iter().map(|&label| self.extents[label]).collect(), self.dtype);
        let conjugate = edge.conjugate;
        self.inputs.push(Edge { conjugate: false, ..edge });
        Factor { edge: Edge { conjugate, ..Edge::whole(source, &labels) }, labels, is_inside: true }
    }
}
