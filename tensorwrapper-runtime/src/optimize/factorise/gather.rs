//! Finds the sums of products in a graph: linear combinations, with those products in them that no other operation reads.

use std::collections::{HashMap, HashSet};

use num_complex::Complex;

use super::work::MOST_FACTORS;
use crate::lower::is_ordinary;
use tensorwrapper_core::backend::{Binary, Instruction, Program, Reduction, Unary};
use tensorwrapper_core::graph::{Edge, EdgeAxis, Label, OpGraph, Operation, OperationNode, TensorId};

/// A part of a tensor as a term reads it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Leaf {
    pub(super) tensor: TensorId,
    /// Its axes; each label is 0 here.
    pub(super) axes: Vec<EdgeAxis>,
    /// The extents of those that have labels.
    pub(super) extents: Vec<usize>,
}

/// A part of a tensor in a term: whether it is conjugated, and its labels.
type Factor = (Leaf, bool, Vec<Label>);

/// A product of tensors' parts, each with its labels: first those of the result's axes, in order, then those that are summed.
#[derive(Clone, Debug)]
pub(super) struct Product {
    pub(super) scale: Complex<f64>,
    pub(super) factors: Vec<Factor>,
    /// The extent of each label.
    pub(super) extents: Vec<usize>,
}

/// What computes a tensor, as far as it is a sum of products.
#[derive(Clone, Debug, Default)]
pub(super) struct Gathered {
    pub(super) terms: Vec<Product>,
    /// Whether there is a product in it that an operation of its own computes.
    pub(super) contracts: bool,
    /// The most factors and labels of a term.
    factors: usize,
    labels: usize,
}

impl Gathered {
    /// A sum with products, without terms so far.
    pub(super) fn of_products() -> Gathered {
        Gathered { contracts: true, ..Gathered::default() }
    }

    pub(super) fn push(&mut self, term: Product) {
        self.factors = self.factors.max(term.factors.len());
        self.labels = self.labels.max(term.extents.len());
        self.terms.push(term);
    }
}

/// The most labels of a term: they are bits of a word.
const MOST_LABELS: usize = 60;

/// The most terms of a sum.
pub(super) const MOST_TERMS: usize = 512;

/// For each tensor two things: the sum of products that it is, if it is one that is computed as a whole; and the other sum of
/// which it is a part, if it is part of one.
pub(super) fn gather(graph: &OpGraph, reorders: bool) -> (Vec<Option<Gathered>>, Vec<Option<TensorId>>) {
    let readers = readers(graph);
    let mut gathered: Vec<Option<Gathered>> = vec![None; graph.tensors().len()];
    let mut part_of: Vec<Option<TensorId>> = vec![None; graph.tensors().len()];
    for node in graph.operations() {
        let Some(terms) = polynomial(graph, node, reorders) else { continue };
        if terms.iter().any(|term| term.factors.len() > MOST_FACTORS || term.extents.len() > MOST_LABELS) {
            continue;
        }
        let is_sum = node.operation.as_map().is_some();
        let joining = joining(&terms, |(leaf, ..), is_single| {
            let is_whole = leaf.axes.iter().all(|axis| matches!(axis, EdgeAxis::Label { start: 0, .. }))
                && leaf.extents == graph.tensor(leaf.tensor).extents;
            let part = gathered[leaf.tensor.0].as_ref().filter(|_| is_whole && readers[leaf.tensor.0] == 1);
            part.map(|part| (part, is_single && is_sum || reorders && part.terms.len() == 1))
        });
        let mut result = Gathered { contracts: node.operation.as_product().is_some(), ..Gathered::default() };
        let output = node.outputs[0].tensor;
        // One edge may stand in several terms, and more than once in one.
        let mut uses: HashMap<TensorId, usize> = HashMap::new();
        let all = terms.iter().flat_map(|term| &term.factors).map(|(leaf, ..)| leaf.tensor);
        all.filter(|tensor| joining.contains(tensor)).for_each(|tensor| *uses.entry(tensor).or_default() += 1);
        for term in terms {
            let mut take = |(leaf, ..): &Factor| {
                let left = uses.get_mut(&leaf.tensor)?;
                *left -= 1;
                part_of[leaf.tensor.0] = Some(output);
                // Its last use moves it: a long sum is not copied at each of its steps.
                let part = &mut gathered[leaf.tensor.0];
                if *left == 0 { part.take() } else { part.clone() }
            };
            let inner: Vec<Option<Gathered>> = term.factors.iter().map(&mut take).collect();
            if inner.iter().all(Option::is_none) {
                result.push(term);
                continue;
            }
            result.contracts |= inner.iter().flatten().any(|part| part.contracts);
            substituted(term, inner, &mut result);
        }
        gathered[output.0] = Some(result);
    }
    (gathered, part_of)
}

/// How often each tensor is read; one that is a result is read once more than anything reads it here.
pub(super) fn readers(graph: &OpGraph) -> Vec<usize> {
    let mut readers = vec![0usize; graph.tensors().len()];
    let read = graph.operations().iter().flat_map(|node| &node.inputs).map(|edge| edge.tensor);
    read.for_each(|tensor| readers[tensor.0] += 1);
    graph.sinks().iter().for_each(|sink| readers[sink.0] += 2);
    readers
}

/// The tensors that are replaced by the sums that they are, wherever they stand in the terms of an operation: `part` tells what a
/// factor is, and whether it may be replaced in a term of one factor, or of several. One that stays somewhere stays everywhere, because it
/// is computed then.
fn joining<'g>(terms: &[Product], part: impl Fn(&Factor, bool) -> Option<(&'g Gathered, bool)>) -> HashSet<TensorId> {
    let mut stays: HashSet<TensorId> = HashSet::new();
    loop {
        let (mut joining, known, mut count) = (HashSet::new(), stays.len(), 0);
        for term in terms {
            let is_single = term.factors.len() == 1;
            let (mut factors, mut labels, mut more, mut found) = (0, term.extents.len(), 1, Vec::new());
            for factor in &term.factors {
                match part(factor, is_single) {
                    Some((part, true)) if !stays.contains(&factor.0.tensor) => {
                        factors += part.factors;
                        labels += part.labels - factor.2.len();
                        more += part.terms.len() - 1;
                        found.push(factor.0.tensor);
                    }
                    other => {
                        factors += 1;
                        stays.extend(other.map(|_| factor.0.tensor));
                    }
                }
            }
            if factors > MOST_FACTORS || labels > MOST_LABELS || count + more > MOST_TERMS {
                stays.extend(found);
                more = 1;
            } else {
                joining.extend(found);
            }
            count += more;
        }
        if stays.len() == known {
            return joining;
        }
    }
}

/// Adds a term with some factors replaced by the sums that they are, all but one of which have one term.
pub(super) fn substituted(term: Product, inner: Vec<Option<Gathered>>, result: &mut Gathered) {
    if let ([(_, false, labels)], [Some(_)]) = (&term.factors[..], &inner[..])
        && term.scale == Complex::ONE
        && labels.iter().copied().eq(0..term.extents.len())
    {
        // The sum as it is.
        let Some(Some(part)) = inner.into_iter().next() else { unreachable!("there is one part") };
        return match result.terms.is_empty() {
            true => *result = Gathered { contracts: result.contracts, ..part },
            false => part.terms.into_iter().for_each(|own| result.push(own)),
        };
    }
    let mut made = vec![Product { scale: term.scale, factors: Vec::new(), extents: term.extents }];
    for ((leaf, conjugate, labels), part) in term.factors.into_iter().zip(inner) {
        let Some(part) = part else {
            made.iter_mut().for_each(|new| new.factors.push((leaf.clone(), conjugate, labels.clone())));
            continue;
        };
        let pairs = made.iter().flat_map(|new| part.terms.iter().map(move |own| (new.clone(), own)));
        made = pairs
            .map(|(mut new, own)| {
                new.scale *= if conjugate { own.scale.conj() } else { own.scale };
                let offset = new.extents.len();
                let told = |label: Label| labels.get(label).copied().unwrap_or_else(|| offset + label - labels.len());
                for (leaf, other, own) in &own.factors {
                    new.factors.push((leaf.clone(), other ^ conjugate, own.iter().map(|&label| told(label)).collect()));
                }
                new.extents.extend(own.extents.iter().skip(labels.len()));
                new
            })
            .collect();
    }
    made.into_iter().for_each(|term| result.push(term));
}

/// What an operation computes as a sum of products of its inputs, if it is one.
fn polynomial(graph: &OpGraph, node: &OperationNode, reorders: bool) -> Option<Vec<Product>> {
    // A sum over nothing is zero, even beside a factor that is infinite.
    if node.extents.contains(&0) || node.extents.len() > MOST_LABELS {
        return None;
    }
    let output = node.outputs.first()?.labels();
    let is_complex = graph.tensor(node.outputs[0].tensor).dtype.is_complex();
    // The result's labels first.
    let mut order = output.clone();
    order.extend((0..node.extents.len()).filter(|label| !output.contains(label)));
    let told = |label: Label| order.iter().position(|&known| known == label).expect("every label is in the order");
    let extents: Vec<usize> = order.iter().map(|&label| node.extents[label]).collect();
    let factor = |edge: &Edge, conjugate: bool| {
        let axes = edge.axes.iter().map(|&axis| match axis {
            EdgeAxis::Label { start, .. } => EdgeAxis::Label { label: 0, start },
            chip @ EdgeAxis::Chip(_) => chip,
        });
        let labelled =
            edge.axes.iter().filter_map(|axis| if let EdgeAxis::Label { label, .. } = axis { Some(*label) } else { None });
        let labels: Vec<Label> = labelled.map(told).collect();
        let own = labels.iter().map(|&label| extents[label]).collect();
        (Leaf { tensor: edge.tensor, axes: axes.collect(), extents: own }, is_complex && (edge.conjugate ^ conjugate), labels)
    };
    match &node.operation {
        Operation::Contract { alpha, then: None }
            if node.inputs.len() <= if reorders { MOST_FACTORS } else { 2 } && is_ordinary(*alpha) =>
        {
            let factors = node.inputs.iter().map(|edge| factor(edge, false)).collect();
            Some(vec![Product { scale: *alpha, factors, extents }])
        }
        Operation::Map { program, reduction: Reduction::Sum } if output.len() == node.extents.len() => {
            let terms = monomials(program)?;
            let term = |(scale, inputs): (Complex<f64>, Vec<(usize, bool)>)| Product {
                scale,
                factors: inputs.into_iter().map(|(n, conjugate)| factor(&node.inputs[n], conjugate)).collect(),
                extents: extents.clone(),
            };
            Some(terms.into_iter().map(term).collect())
        }
        _ => None,
    }
}

/// A product of inputs, some of them conjugated.
type Monomial = (Complex<f64>, Vec<(usize, bool)>);

/// A program as a sum of products of its inputs, if it multiplies no sums and divides by constants alone.
fn monomials(program: &Program) -> Option<Vec<Monomial>> {
    let mut values: Vec<Vec<Monomial>> = Vec::with_capacity(program.instructions().len());
    let scaled =
        |terms: &[Monomial], by: Complex<f64>| terms.iter().map(|(scale, inputs)| (scale * by, inputs.clone())).collect();
    for instruction in program.instructions() {
        let value: Vec<Monomial> = match *instruction {
            Instruction::Input(n) => vec![(Complex::ONE, vec![(n, false)])],
            Instruction::Constant(value) if value == Complex::ZERO || is_ordinary(value) => vec![(value, Vec::new())],
            Instruction::Negate(a) => scaled(&values[a], -Complex::ONE),
            Instruction::Apply(Unary::Conj, a) => {
                let conjugated = |(scale, inputs): &Monomial| (scale.conj(), inputs.iter().map(|&(n, c)| (n, !c)).collect());
                values[a].iter().map(conjugated).collect()
            }
            Instruction::Combine(Binary::Add, a, b) => [&values[a][..], &values[b][..]].concat(),
            Instruction::Combine(Binary::Subtract, a, b) => {
                let negative: Vec<Monomial> = scaled(&values[b], -Complex::ONE);
                [&values[a][..], &negative].concat()
            }
            Instruction::Combine(Binary::Multiply, a, b) => {
                // Of sums only those that are multiplied by a number.
                let (sum, single) = if values[b].len() == 1 { (a, b) } else { (b, a) };
                let [(scale, inputs)] = &values[single][..] else { return None };
                if values[sum].len() > 1 && !inputs.is_empty() {
                    return None;
                }
                values[sum].iter().map(|(own, factors)| (own * scale, [&factors[..], inputs].concat())).collect()
            }
            Instruction::Combine(Binary::Divide, a, b) => match &values[b][..] {
                [(scale, inputs)] if inputs.is_empty() && is_ordinary(*scale) => scaled(&values[a], scale.inv()),
                _ => return None,
            },
            Instruction::Constant(_)
            | Instruction::Converted(_)
            | Instruction::Apply(..)
            | Instruction::PowerInteger(..)
            | Instruction::PowerReal(..)
            | Instruction::Compare(..)
            | Instruction::Select(..)
            | Instruction::Call(..) => return None,
        };
        if value.len() > MOST_TERMS {
            return None;
        }
        values.push(value);
    }
    values.pop()
}
