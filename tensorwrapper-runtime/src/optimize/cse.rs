//! Common sub-expression elimination: an operation that occurs twice is computed once. Two products are the same if they differ
//! only in the order of factors, the names of labels, the order of the result's axes, a conjugation of all elements, or a
//! number that multiplies them. Two element-wise operations or reductions are the same if they differ only in the names of
//! labels and the order of the result's axes. All other operations are the same only if they are equal.

use std::collections::HashMap;
use std::collections::hash_map::{DefaultHasher, Entry};
use std::hash::{Hash as _, Hasher as _};

use num_complex::Complex;
use smallvec::SmallVec;

use super::factorise::{Factor, Key, Name, Role, canonical};
use crate::lower::{is_ordinary, times};
use tensorwrapper_core::backend::{Binary, Instruction, Program};
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::graph::{Edge, EdgeAxis, Label, OpGraph, Operation, OperationId, OperationNode, Rewriter, TensorId};

/// A tensor of the old graph as one of the new: `scale · tensor`, the axes in another order.
#[derive(Clone, Debug)]
struct Same {
    tensor: TensorId,
    /// For each axis of the new tensor that of the old one.
    axes: Vec<usize>,
    scale: Complex<f64>,
    conjugate: bool,
}

/// A product that is computed: its tensor, the labels of the key in the order of its axes, and what it is multiplied by.
struct Known {
    tensor: TensorId,
    /// For each axis the place of its label in the key.
    places: Vec<usize>,
    alpha: Complex<f64>,
    conjugate: bool,
}

/// A part of a tensor, without labels.
type Part = (TensorId, SmallVec<[EdgeAxis; 4]>);

struct Sharing<'g> {
    rewriter: Rewriter<'g>,
    moved: Vec<Option<Same>>,
    parts: HashMap<Part, u32>,
    /// Products by their keys and the extents of the labels there.
    products: HashMap<(Key, Vec<usize>), Known>,
    /// For each hash the first operation that is not a product. Its key is written out only when a second operation has the
    /// same hash.
    firsts: HashMap<u64, Option<OperationId>>,
    /// Operations that are not products, by their keys: their results, and for each axis of the first result the position of
    /// its label in the order of the key.
    others: HashMap<String, (Vec<TensorId>, Vec<Label>)>,
}

/// The same graph with each product and each element-wise program in it once.
pub(super) fn eliminate_common(graph: &OpGraph) -> OpGraph {
    let rewriter = Rewriter::new(graph);
    let same = |tensor: TensorId| Some(whole(rewriter.moved(tensor)?, graph.tensor(tensor).extents.len()));
    let moved = graph.tensor_ids().map(same).collect();
    let (parts, products, firsts, others) = Default::default();
    let mut sharing = Sharing { rewriter, moved, parts, products, firsts, others };
    for node in graph.operations() {
        let made = match &node.operation {
            Operation::Contract { alpha, then: None } => sharing.product(graph, node, *alpha),
            _ => sharing.other(graph, node),
        };
        for (edge, same) in node.outputs.iter().zip(made) {
            sharing.moved[edge.tensor.0] = Some(same);
        }
    }
    for sink in graph.sinks() {
        let same = sharing.moved[sink.0].clone().expect("what is wanted was computed");
        let tensor = sharing.plain(graph, *sink, same);
        sharing.rewriter.graph_mut().add_sink(tensor);
    }
    sharing.rewriter.into_graph()
}

fn whole(tensor: TensorId, rank: usize) -> Same {
    Same { tensor, axes: (0..rank).collect(), scale: Complex::ONE, conjugate: false }
}

impl Sharing<'_> {
    /// An edge in the new graph, and what its elements are to be multiplied by.
    fn edge(&self, edge: &Edge) -> (Edge, Complex<f64>) {
        let same = self.moved[edge.tensor.0].as_ref().expect("operations stand in an order in which they can run");
        let axes = same.axes.iter().map(|&axis| edge.axes[axis]).collect();
        let scale = if edge.conjugate { same.scale.conj() } else { same.scale };
        (Edge { tensor: same.tensor, axes, conjugate: edge.conjugate ^ same.conjugate }, scale)
    }

    fn product(&mut self, graph: &OpGraph, node: &OperationNode, mut alpha: Complex<f64>) -> Vec<Same> {
        let mut inputs = Vec::with_capacity(node.inputs.len());
        for edge in &node.inputs {
            let (edge, scale) = self.edge(edge);
            alpha = times(alpha, scale);
            inputs.push(edge);
        }
        let output = node.outputs[0].labels();
        let rank = output.len();
        let dtype = graph.tensor(node.outputs[0].tensor).dtype;
        // The form of a product knows the labels of its factors alone.
        let is_known = || (0..node.extents.len()).all(|label| node.inputs.iter().any(|edge| edge.labels().contains(&label)));
        let found = (inputs.len() <= 8 && node.extents.len() <= 64 && is_ordinary(alpha) && is_known())
            .then(|| self.key(&inputs, &output, &node.extents, dtype.is_complex()));
        if let Some((key, order, conjugate)) = &found
            && let Some(known) = self.products.get(key)
        {
            let axes =
                known.places.iter().map(|&place| output.iter().position(|l| *l == order[place]).expect("it has all labels"));
            let conjugate = conjugate ^ known.conjugate;
            // Numbers in front are not conjugated with the factors.
            let scale = alpha / if conjugate { known.alpha.conj() } else { known.alpha };
            return vec![Same { tensor: known.tensor, axes: axes.collect(), scale, conjugate }];
        }
        let product = OperationNode { operation: Operation::product(alpha), ..node.clone() };
        let tensor = self.rewriter.keep_over(&product, inputs)[0];
        if let Some((key, order, conjugate)) = found {
            let place = |label: &Label| order.iter().position(|known| known == label);
            if let Some(places) = output.iter().map(place).collect() {
                self.products.insert(key, Known { tensor, places, alpha, conjugate });
            }
        }
        vec![whole(tensor, rank)]
    }

    /// The key of a product, its labels in the order of the key, and whether the key is that of the conjugated product.
    fn key(
        &mut self,
        inputs: &[Edge],
        output: &[Label],
        extents: &[usize],
        is_complex: bool,
    ) -> ((Key, Vec<usize>), Vec<Label>, bool) {
        let parts = &mut self.parts;
        let factors: Vec<Factor> = inputs
            .iter()
            .map(|edge| {
                let axes = edge.axes.iter().map(|&axis| match axis {
                    EdgeAxis::Label { start, .. } => EdgeAxis::Label { label: 0, start },
                    chip @ EdgeAxis::Chip(_) => chip,
                });
                let next = parts.len() as u32;
                let node = *parts.entry((edge.tensor, axes.collect())).or_insert(next);
                let label = |axis: &EdgeAxis| if let EdgeAxis::Label { label, .. } = axis { Some(*label as Name) } else { None };
                let labels = edge.axes.iter().filter_map(label).collect();
                Factor { node, conjugate: is_complex && edge.conjugate, labels }
            })
            .collect();
        let role = |label: Name| if output.contains(&usize::from(label)) { Role::Open } else { Role::Inner };
        let of = |factors: &[Factor]| canonical(&factors.iter().collect::<Vec<_>>(), role);
        let (mut key, mut conjugate) = (of(&factors), false);
        if is_complex {
            let turned: Vec<Factor> =
                factors.iter().map(|factor| Factor { conjugate: !factor.conjugate, ..factor.clone() }).collect();
            let other = of(&turned);
            if other.0 < key.0 {
                (key, conjugate) = (other, true);
            }
        }
        let labels: Vec<Label> = key.1.into_iter().map(usize::from).collect();
        let own = labels.iter().map(|&label| extents[label]).collect();
        ((key.0, own), labels, conjugate)
    }

    fn other(&mut self, graph: &OpGraph, node: &OperationNode) -> Vec<Same> {
        let mut node = node.clone();
        let mut edges = Vec::with_capacity(node.inputs.len());
        let takes_numbers = node.operation.as_map().is_some();
        let mut converts = vec![false; node.inputs.len()];
        if let Some((program, _)) = node.operation.as_map() {
            let converted = |instruction: &Instruction| if let Instruction::Converted(n) = *instruction { Some(n) } else { None };
            program.instructions().iter().filter_map(converted).for_each(|n| converts[n] = true);
        }
        for (n, edge) in node.inputs.clone().iter().enumerate() {
            let (new, scale) = self.edge(edge);
            if takes_numbers && !converts[n] {
                if scale != Complex::ONE
                    && let Some((program, reduction)) = node.operation.as_map()
                {
                    node.operation = Operation::Map { program: scaled(program, n, scale), reduction };
                }
                edges.push(new);
                continue;
            }
            let same = self.moved[edge.tensor.0].clone().expect("operations stand in an order in which they can run");
            let tensor = self.plain(graph, edge.tensor, same);
            edges.push(Edge { tensor, ..edge.clone() });
        }
        let dtypes: Vec<Dtype> = node.outputs.iter().map(|edge| graph.tensor(edge.tensor).dtype).collect();
        let found = self.is_perhaps_known(&node, &edges, &dtypes).then(|| name(&node, &edges, &dtypes)).flatten();
        if let Some((name, order)) = &found
            && let Some((tensors, known)) = self.others.get(name)
        {
            let is_map = node.operation.as_map().is_some();
            let same = |(edge, &tensor): (&Edge, &TensorId)| {
                let labels = edge.labels();
                let axes: Vec<usize> = if is_map {
                    let own = |place: &Label| labels.iter().position(|&label| label == order[*place]).expect("it has all labels");
                    known.iter().map(own).collect()
                } else {
                    (0..labels.len()).collect()
                };
                Same { axes, ..whole(tensor, 0) }
            };
            return node.outputs.iter().zip(tensors).map(same).collect();
        }
        let tensors = self.rewriter.keep_over(&node, edges);
        if let Some(found) = found {
            self.know(found, &node.outputs[0], tensors.clone());
        }
        tensors.into_iter().zip(&node.outputs).map(|(tensor, edge)| whole(tensor, edge.axes.len())).collect()
    }

    /// Whether an operation of the same hash was found before. Keys are written out only in this case, because that takes
    /// longer than everything else.
    fn is_perhaps_known(&mut self, node: &OperationNode, edges: &[Edge], dtypes: &[Dtype]) -> bool {
        let mut hasher = DefaultHasher::new();
        let instructions = node.operation.as_map().map_or(0, |(program, _)| program.instructions().len());
        // The order of labels makes no difference.
        let mut extents = node.extents.clone();
        extents.sort_unstable();
        (std::mem::discriminant(&node.operation), instructions, extents, dtypes).hash(&mut hasher);
        edges.iter().for_each(|edge| edge.tensor.hash(&mut hasher));
        let next = OperationId(self.rewriter.graph().operations().len());
        match self.firsts.entry(hasher.finish()) {
            Entry::Vacant(entry) => {
                entry.insert(Some(next));
                false
            }
            Entry::Occupied(mut entry) => {
                if let Some(first) = entry.get_mut().take() {
                    let result = self.rewriter.graph();
                    let node = result.operation(first).clone();
                    let tensors: Vec<TensorId> = node.outputs.iter().map(|edge| edge.tensor).collect();
                    let dtypes: Vec<Dtype> = tensors.iter().map(|&tensor| result.tensor(tensor).dtype).collect();
                    if let Some(found) = name(&node, &node.inputs, &dtypes) {
                        self.know(found, &node.outputs[0], tensors);
                    }
                }
                true
            }
        }
    }

    fn know(&mut self, (name, order): (String, Vec<Label>), output: &Edge, tensors: Vec<TensorId>) {
        let place = |label: Label| order.iter().position(|&known| known == label).unwrap_or(0);
        let places = output.labels().into_iter().map(place).collect();
        self.others.insert(name, (tensors, places));
    }

    /// A tensor as it was, computed from the one that it is but for the order of axes and a number.
    fn plain(&mut self, graph: &OpGraph, old: TensorId, same: Same) -> TensorId {
        let rank = same.axes.len();
        if same.scale == Complex::ONE && !same.conjugate && same.axes.iter().copied().eq(0..rank) {
            return same.tensor;
        }
        let node = graph.tensor(old);
        let edge = Edge { conjugate: same.conjugate, ..Edge::whole(same.tensor, &same.axes) };
        let mut program = Program::new(vec![Instruction::Input(0)]);
        if same.scale != Complex::ONE {
            program = scaled(&program, 0, same.scale);
        }
        let labels: Vec<Label> = (0..rank).collect();
        let outputs = [(&labels[..], node.dtype)];
        let operation = Operation::element_wise(program);
        let tensor = self.rewriter.graph_mut().add_operation(operation, vec![edge], &outputs, node.extents.clone())[0];
        self.moved[old.0] = Some(whole(tensor, rank));
        tensor
    }
}

/// The program with one of its inputs multiplied by a number.
fn scaled(program: &Program, input: usize, scale: Complex<f64>) -> Program {
    let mut instructions = vec![Instruction::Input(input)];
    if scale == -Complex::<f64>::ONE {
        instructions.push(Instruction::Negate(0));
    } else {
        instructions.extend([Instruction::Constant(scale), Instruction::Combine(Binary::Multiply, 1, 0)]);
    }
    let value = instructions.len() - 1;
    let mut places = Vec::with_capacity(program.instructions().len());
    for instruction in program.instructions() {
        if *instruction == Instruction::Input(input) {
            places.push(value);
            continue;
        }
        instructions.push(instruction.with_registers(|register| places[register]));
        places.push(instructions.len() - 1);
    }
    Program::new(instructions)
}

/// The key of an operation that is not a product, as text with the element types of its results, and its labels in the order in
/// which its inputs have them.
fn name(node: &OperationNode, inputs: &[Edge], dtypes: &[Dtype]) -> Option<(String, Vec<Label>)> {
    let Some((program, reduction)) = node.operation.as_map() else {
        let outputs: Vec<Vec<Label>> = node.outputs.iter().map(Edge::labels).collect();
        let text = format!("{dtypes:?} {:?} {inputs:?} {outputs:?} {:?}", node.operation, node.extents);
        return Some((text, Vec::new()));
    };
    if program.functions() > 0 {
        return None;
    }
    let mut order: Vec<Label> = Vec::new();
    let mut edges = Vec::with_capacity(inputs.len());
    for edge in inputs {
        let mut edge = edge.clone();
        for axis in &mut edge.axes {
            if let EdgeAxis::Label { label, .. } = axis {
                let place = order.iter().position(|known| known == label).unwrap_or_else(|| {
                    order.push(*label);
                    order.len() - 1
                });
                *label = place;
            }
        }
        edges.push(edge);
    }
    // Labels that no input has cannot be told by where they stand.
    if order.len() != node.extents.len() {
        return None;
    }
    let output = node.outputs[0].labels();
    let kept: Vec<(bool, usize)> = order.iter().map(|&label| (output.contains(&label), node.extents[label])).collect();
    Some((format!("{dtypes:?} {program:?} {reduction:?} {edges:?} {kept:?}"), order))
}
