//! Lowers recorded values to a graph.
//!
//! Products under a sum become n-ary contractions; everything element-wise between them becomes one program, so that
//! denominators, spread constants and linear combinations are never stored.
//!
//! A value is lowered when it is first read. Values nested more than a hundred operations deep are lowered from a list, so that
//! chains of any length do not overflow the stack.
//!
//! A function of the user's program (`map(f; X)`) is not part of an element-wise `Program`. It is stored beside the sources,
//! and a `Program` refers to it by its slot, so that a plan can run again with another function.

mod factorise;
mod fragment;
mod place;
mod product;
mod source;
mod sums;
#[cfg(test)]
mod tests;
mod values;

use std::collections::HashMap;
use std::sync::Arc;

use smallvec::SmallVec;
use tensorwrapper_notation::syntax::Reduction as Fold;
use tensorwrapper_notation::{Comparison, ConditionBuilder};

use fragment::Fragment;
use source::SourceKey;
use tensorwrapper_core::graph::{Edge, EdgeAxis, Label, OpGraph, Operation, OperationId, TensorId};

pub(crate) use product::{is_ordinary, times};
pub(crate) use source::SourceTensor;

use crate::expr::{Axis, Factorised, Inlined, Source, Tree, Value};
use crate::link::Link;
use crate::tensor::AnyRef;
use tensorwrapper_core::backend::{Instruction, Program, Reduction, Unary};
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::element::Dtype;

/// A graph, the tensors for its sources, and the functions for its programs' calls.
pub(crate) struct Lowered<'a> {
    pub(crate) graph: OpGraph,
    pub(crate) sources: Vec<SourceTensor<'a>>,
    pub(crate) functions: Vec<Callback<'a>>,
}

/// Lowers several values together; values that they share are in the graph once.
pub(crate) fn lower<'a>(values: &[Link<Value<'a>>]) -> Lowered<'a> {
    lower_over(&[], values)
}

/// The same for a device that finds places of extremes in one pass.
pub(crate) fn lower_with_places<'a>(values: &[Link<Value<'a>>]) -> Lowered<'a> {
    Lowering { finds_places: true, ..Lowering::default() }.finish(values)
}

/// Lowers values over tensors, which are the first sources, in this order. Each is a source of its own, even where two of them
/// share memory.
pub(crate) fn lower_over<'a>(tensors: &[Link<Value<'a>>], values: &[Link<Value<'a>>]) -> Lowered<'a> {
    let mut lowering = Lowering::default();
    lowering.sources.reserve(tensors.len());
    for tensor in tensors {
        let Source::Tensor(data) = &tensor.source else { unreachable!("a plan is made over tensors") };
        let source = lowering.new_source(SourceTensor::Borrowed(data.clone()));
        lowering.known.insert(Link::address(tensor), source);
    }
    lowering.finish(values)
}

#[derive(Default)]
struct Lowering<'a> {
    graph: OpGraph,
    sources: Vec<SourceTensor<'a>>,
    functions: Vec<Callback<'a>>,
    /// The source of each tensor, the first one where several are the same.
    known_sources: HashMap<SourceKey, TensorId>,
    /// Operations of linear algebra already in the graph, by where they were recorded and by what they read.
    calls: HashMap<*const Factorised<'a>, OperationId>,
    factorised: HashMap<Vec<Edge>, Vec<OperationId>>,
    /// What graphs want that are already in this one, by where they were recorded.
    inlined: HashMap<*const Inlined<'a>, Vec<TensorId>>,
    /// Whether places of extremes are operations of their own.
    finds_places: bool,
    /// Operations inside each other around the place that is lowered, through values, too.
    depth: usize,
    /// Values already in the graph. The recordings live as long as the lowering, so addresses name them.
    known: HashMap<*const Value<'a>, TensorId>,
}

/// The equation being lowered.
#[derive(Clone, Copy)]
struct Frame<'e> {
    extents: &'e [usize],
    dtype: Dtype,
    /// The order in which intermediates keep their labels: the result's first.
    axes: &'e [usize],
    /// The number of the names of its labels in the graph.
    names: usize,
}

impl Frame<'_> {
    /// Labels in the order of the result, the others behind.
    fn order(&self, mut labels: Vec<Label>) -> Vec<Label> {
        let place = places(self.axes, self.extents.len());
        labels.sort_by_key(|&l| (place[l].unwrap_or(self.axes.len()), l));
        labels
    }
}

impl<'a> Lowering<'a> {
    /// Lowers values that are wanted.
    fn finish(mut self, values: &[Link<Value<'a>>]) -> Lowered<'a> {
        for value in values {
            let sink = self.value(value);
            // A tensor of the program is never its own result.
            let sink = match self.graph.tensor(sink).producer {
                Some(_) => sink,
                None => self.graph.add_copy(sink),
            };
            self.graph.add_sink(sink);
        }
        Lowered { graph: self.graph, sources: self.sources, functions: self.functions }
    }

    fn equation(&mut self, tree: &Tree<'a>, frame: Frame<'_>) -> TensorId {
        let fragment = self.tree(tree, frame);
        if let Some(edge) = fragment.as_edge()
            && !edge.conjugate
            && self.graph.tensor(edge.tensor).producer.is_some()
            && self.is_whole(&edge, frame)
        {
            return edge.tensor;
        }
        self.map(fragment, frame.axes, &[], Reduction::Sum, frame)
    }

    /// Whether an edge is a whole tensor with the result's axes in order.
    fn is_whole(&self, edge: &Edge, frame: Frame<'_>) -> bool {
        let extents = &self.graph.tensor(edge.tensor).extents;
        edge.axes.len() == frame.axes.len()
            && edge.axes.iter().zip(frame.axes).all(|(axis, &label)| *axis == EdgeAxis::Label { label, start: 0 })
            && frame.axes.iter().zip(extents).all(|(&label, &extent)| frame.extents[label] == extent)
    }

    /// Puts element-wise work into the graph; what the kept labels lack is folded.
    fn map(&mut self, fragment: Fragment, kept: &[Label], over: &[Label], reduction: Reduction, frame: Frame<'_>) -> TensorId {
        let operation = Operation::Map { program: Program::new(fragment.instructions), reduction };
        self.add(operation, fragment.inputs.into_edges(), kept, over, frame)
    }

    /// Where along a label the values of a tree are largest or smallest.
    fn place(&mut self, extreme: Reduction, of: &Tree<'a>, over: &[Label], frame: Frame<'_>) -> Edge {
        let fragment = self.tree(of, frame);
        let kept = frame.order(fragment.labels().into_iter().filter(|label| !over.contains(label)).collect());
        let operation = Operation::Place { program: Program::new(fragment.instructions), extreme };
        Edge::whole(self.add(operation, fragment.inputs.into_edges(), &kept, over, frame), &kept)
    }

    /// Adds an operation whose labels are exactly the kept ones, in order, and those that are folded.
    fn add(&mut self, operation: Operation, mut inputs: Vec<Edge>, kept: &[Label], over: &[Label], frame: Frame<'_>) -> TensorId {
        let numbers: Vec<Label> = kept.iter().chain(over).copied().collect();
        let place = places(&numbers, frame.extents.len());
        for axis in inputs.iter_mut().flat_map(|edge| &mut edge.axes) {
            if let EdgeAxis::Label { label, .. } = axis {
                *label = place[*label].expect("every label is kept or folded");
            }
        }
        let extents = numbers.iter().map(|&l| frame.extents[l]).collect();
        let labels: Vec<Label> = (0..kept.len()).collect();
        let made = self.graph.add_operation(operation, inputs, &[(&labels, frame.dtype)], extents)[0];
        self.graph.name_last(frame.names, &numbers);
        made
    }

    /// Work as a tensor that a contraction can read: itself, or a new intermediate.
    fn materialise(&mut self, fragment: Fragment, frame: Frame<'_>) -> Edge {
        if let Some(edge) = fragment.as_edge() {
            return edge;
        }
        let labels = frame.order(fragment.labels());
        let tensor = self.map(fragment, &labels, &[], Reduction::Sum, frame);
        Edge::whole(tensor, &labels)
    }

    fn tree(&mut self, tree: &Tree<'a>, frame: Frame<'_>) -> Fragment {
        self.depth += 1;
        let fragment = self.operation(tree, frame);
        self.depth -= 1;
        fragment
    }

    fn operation(&mut self, tree: &Tree<'a>, frame: Frame<'_>) -> Fragment {
        match tree {
            Tree::Operand(value, axes) => Fragment::input(self.operand(value, axes, frame)),
            Tree::Constant(value) => Fragment::constant(*value),
            Tree::Negate(inner) => self.tree(inner, frame).then(Instruction::Negate),
            Tree::Binary(..) => {
                // Operations grouped from the left, in a loop: sums are long.
                let (mut first, mut rest) = (tree, Vec::new());
                while let Tree::Binary(operator, left, right) = first {
                    rest.push((*operator, right));
                    first = left;
                }
                let value = self.tree(first, frame);
                rest.into_iter()
                    .rev()
                    .fold(value, |value, (operator, right)| value.combine(operator.into(), self.tree(right, frame)))
            }
            Tree::Apply(Unary::Conj | Unary::Re, inner) if !frame.dtype.is_complex() => self.tree(inner, frame),
            Tree::Apply(function, inner) => self.tree(inner, frame).then(|a| Instruction::Apply(*function, a)),
            Tree::Cast(dtype, inner) => {
                let fragment = self.tree(inner, Frame { dtype: *dtype, ..frame });
                if *dtype == frame.dtype {
                    return fragment;
                }
                Fragment::converted(self.materialise(fragment, Frame { dtype: *dtype, ..frame }))
            }
            Tree::Map(function, arguments) => {
                let arguments = arguments.iter().map(|argument| self.tree(argument, frame)).collect();
                self.functions.push(function.function());
                Fragment::call(self.functions.len() - 1, arguments)
            }
            Tree::Select(condition, values) => {
                let condition = condition.build(&mut Conditions { lowering: self, frame });
                let [chosen, other] = values.each_ref().map(|value| self.tree(value, frame));
                Fragment::select(condition, chosen, other)
            }
            Tree::PowerInteger(inner, exponent) => self.tree(inner, frame).then(|a| Instruction::PowerInteger(a, *exponent)),
            Tree::PowerReal(inner, exponent) => self.tree(inner, frame).then(|a| Instruction::PowerReal(a, *exponent)),
            Tree::Reduce(Fold::Sum, labels, body) => Fragment::input(self.sum(labels, body, frame)),
            Tree::Reduce(Fold::Min, over, body)
                if self.finds_places
                    && let Some((extreme, of)) = place::place(over, body, frame.extents) =>
            {
                Fragment::input(self.place(extreme, of, over, frame))
            }
            Tree::Reduce(fold, labels, body) => Fragment::input(self.fold(labels, body, reduction(*fold), frame)),
        }
    }

    fn operand(&mut self, value: &Link<Value<'a>>, axes: &[Axis], frame: Frame<'_>) -> Edge {
        if !axes.iter().any(|axis| matches!(axis, Axis::Fused(_))) {
            return Edge { tensor: self.value(value), axes: axes.iter().map(edge_axis).collect(), conjugate: false };
        }
        // A fused axis is as many axes as it has labels; the elements stay where they are.
        let (mut parts, mut apart) = (Vec::new(), Vec::new());
        for (axis, &extent) in axes.iter().zip(&value.extents) {
            if let Axis::Fused(labels) = axis {
                parts.push(labels.iter().map(|&l| frame.extents[l]).collect());
                apart.extend(labels.iter().map(|&label| EdgeAxis::Label { label, start: 0 }));
            } else {
                parts.push(vec![extent]);
                apart.push(edge_axis(axis));
            }
        }
        let tensor = match &value.source {
            Source::Tensor(source) => {
                let layout = source.layout.clone().split(&parts);
                self.source(SourceTensor::Borrowed(AnyRef { data: source.data, layout }))
            }
            Source::Computed(..) | Source::Solved(..) => {
                let tensor = value.tensor().expect("these are computed");
                let layout = tensor.erase().layout.split(&parts);
                self.source(SourceTensor::Computed(Arc::clone(tensor), layout))
            }
            Source::Equation { .. }
            | Source::Factorised(..)
            | Source::Graph(..)
            | Source::Reshaped(_)
            | Source::Held(_)
            | Source::Written { .. } => {
                let joined = self.value(value);
                self.reshape(joined, parts.concat())
            }
        };
        Edge { tensor, axes: apart, conjugate: false }
    }

    /// The same elements in the same order with other extents.
    fn reshape(&mut self, tensor: TensorId, extents: Vec<usize>) -> TensorId {
        let (old, dtype) = (self.graph.tensor(tensor).extents.clone(), self.graph.tensor(tensor).dtype);
        let inner: Vec<Label> = (0..old.len()).collect();
        let outer: Vec<Label> = (old.len()..old.len() + extents.len()).collect();
        let all = old.into_iter().chain(extents).collect();
        self.graph.add_operation(Operation::Reshape, vec![Edge::whole(tensor, &inner)], &[(&outer, dtype)], all)[0]
    }

    /// A reduction of element-wise work. Labels that nothing inside depends on are still run over.
    fn fold(&mut self, labels: &[Label], body: &Tree<'a>, reduction: Reduction, frame: Frame<'_>) -> Edge {
        let fragment = self.tree(body, frame);
        self.fold_fragment(fragment, labels, reduction, frame)
    }

    fn fold_fragment(&mut self, fragment: Fragment, over: &[Label], reduction: Reduction, frame: Frame<'_>) -> Edge {
        let kept: Vec<Label> = fragment.labels().into_iter().filter(|l| !over.contains(l)).collect();
        let kept = frame.order(kept);
        let tensor = self.map(fragment, &kept, over, reduction, frame);
        Edge::whole(tensor, &kept)
    }

    fn written(
        &mut self,
        value: &Value<'a>,
        base: Option<TensorId>,
        axes: &[Axis],
        part: TensorId,
        labels: &[Label],
        extents: &[usize],
    ) -> TensorId {
        // Labels of the part first, then one for each axis of the whole.
        let offset = labels.len();
        let whole_labels: Vec<Label> = (offset..offset + value.extents.len()).collect();
        let inputs = base.map(|base| Edge::whole(base, &whole_labels)).into_iter().chain([Edge::whole(part, labels)]).collect();
        let operation = Operation::Write { part: axes.iter().map(edge_axis).collect() };
        let all_extents = extents.iter().chain(&value.extents).copied().collect();
        self.graph.add_operation(operation, inputs, &[(&whole_labels, value.dtype)], all_extents)[0]
    }
}

/// A reduction of the language as one of devices.
pub(crate) fn reduction(fold: Fold) -> Reduction {
    match fold {
        Fold::Sum => Reduction::Sum,
        Fold::Product => Reduction::Product,
        Fold::Max => Reduction::Max,
        Fold::Min => Reduction::Min,
    }
}

/// For each label of an equation its place in a list, the first one where it has several.
fn places(list: &[Label], labels: usize) -> SmallVec<[Option<usize>; 16]> {
    let mut places = SmallVec::from_elem(None, labels);
    list.iter().enumerate().rev().for_each(|(place, &label)| places[label] = Some(place));
    places
}

fn edge_axis(axis: &Axis) -> EdgeAxis {
    match *axis {
        Axis::Label { label, start } => EdgeAxis::Label { label, start },
        Axis::Chip(position) => EdgeAxis::Chip(position),
        Axis::Fused(_) => unreachable!("fused axes are taken apart where extents are known"),
    }
}

/// Lowers conditions of an equation.
struct Conditions<'l, 'a, 'e> {
    lowering: &'l mut Lowering<'a>,
    frame: Frame<'e>,
}

impl<'a> ConditionBuilder<Tree<'a>> for Conditions<'_, 'a, '_> {
    type Value = Fragment;

    fn compare(&mut self, comparison: Comparison, left: &Tree<'a>, right: &Tree<'a>) -> Fragment {
        let [left, right] = [left, right].map(|side| self.lowering.tree(side, self.frame));
        left.compare(comparison, right)
    }

    fn holds(&mut self, of: &Tree<'a>) -> Fragment {
        self.lowering.tree(of, self.frame)
    }

    fn number(&mut self, value: f64) -> Fragment {
        Fragment::constant(value.into())
    }

    fn select(&mut self, condition: Fragment, chosen: Fragment, other: Fragment) -> Fragment {
        Fragment::select(condition, chosen, other)
    }
}
