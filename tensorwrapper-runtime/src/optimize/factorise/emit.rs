//! Turns sums of formed products back into operations.

use num_complex::Complex;
use smallvec::SmallVec;

use super::gather::Leaf;
use super::join::renamed;
use super::term::{Factor, Name, Term};
use super::work::{Kind, Work};
use tensorwrapper_core::backend::{Binary, Instruction, Program};
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::graph::{Edge, EdgeAxis, Label, Operation, Rewriter, TensorId};
use tensorwrapper_order::internal::Network;

/// The most factors of a product that is computed with the sum that it is a term of.
const MOST_INSIDE: usize = 4;

/// A graph that is being made.
pub(super) struct Emitter<'w> {
    pub(super) work: &'w Work,
    pub(super) leaves: &'w [Leaf],
    /// How often each node is read.
    pub(super) uses: Vec<u32>,
    /// For each node its tensor, once it exists, and the node's axis for each axis of the tensor.
    made: Vec<Option<(TensorId, Vec<Name>)>>,
}

impl<'w> Emitter<'w> {
    /// For the sums of these numbers.
    pub(super) fn new(work: &'w Work, leaves: &'w [Leaf], sums: impl Iterator<Item = usize>) -> Emitter<'w> {
        let mut emitter = Emitter { work, leaves, uses: vec![0; work.nodes.len()], made: vec![None; work.nodes.len()] };
        for sum in sums {
            work.sums[sum].entries.iter().for_each(|entry| emitter.count(&entry.term.factors));
        }
        emitter
    }

    fn count(&mut self, factors: &[Factor]) {
        for factor in factors {
            let node = factor.node as usize;
            self.uses[node] += 1;
            if self.uses[node] > 1 {
                continue;
            }
            let work = self.work;
            match &work.nodes[node].kind {
                Kind::Leaf(_) => {}
                Kind::Sum(sum) => work.sums[*sum].entries.iter().for_each(|entry| self.count(&entry.term.factors)),
                Kind::Product(factors) => self.count(factors),
            }
        }
    }

    /// A sum as a tensor with its axes in order.
    pub(super) fn sum(&mut self, rewriter: &mut Rewriter<'_>, sum: usize, dtype: Dtype) -> TensorId {
        let work = self.work;
        let known = &work.sums[sum];
        let all: Vec<Name> = (0..known.extents.len() as Name).collect();
        if let [entry] = &known.entries[..]
            && let Some(tensor) = self.alone(rewriter, (&entry.term, &all), &known.extents, dtype)
        {
            return tensor;
        }
        let (mut instructions, mut inputs) = (Vec::new(), Vec::new());
        let mut value: Option<usize> = None;
        for entry in &known.entries {
            let Term { mut scale, ref factors } = entry.term;
            let mut registers = Vec::new();
            for edge in self.term(rewriter, (factors, &mut scale), &known.extents, dtype) {
                let place = inputs.iter().position(|known| *known == edge).unwrap_or_else(|| {
                    inputs.push(edge);
                    inputs.len() - 1
                });
                instructions.push(Instruction::Input(place));
                registers.push(instructions.len() - 1);
            }
            let subtracts = value.is_some() && scale.im == 0.0 && scale.re < 0.0;
            let scale = if subtracts { -scale } else { scale };
            if scale != Complex::ONE || registers.is_empty() {
                instructions.push(Instruction::Constant(scale));
                registers.insert(0, instructions.len() - 1);
            }
            let product = registers.into_iter().reduce(|a, b| {
                instructions.push(Instruction::Combine(Binary::Multiply, a, b));
                instructions.len() - 1
            });
            let product = product.expect("a term has a factor or is a number");
            value = Some(match value {
                None => product,
                Some(value) => {
                    let operator = if subtracts { Binary::Subtract } else { Binary::Add };
                    instructions.push(Instruction::Combine(operator, value, product));
                    instructions.len() - 1
                }
            });
        }
        if instructions.is_empty() {
            instructions.push(Instruction::Constant(Complex::ZERO));
        }
        let labels: Vec<Label> = (0..known.extents.len()).collect();
        let operation = Operation::element_wise(Program::new(instructions));
        rewriter.graph_mut().add_operation(operation, inputs, &[(&labels, dtype)], known.extents.clone())[0]
    }

    /// A sum of one term that is a product which no other term reads.
    fn alone(
        &mut self,
        rewriter: &mut Rewriter<'_>,
        (term, order): (&Term, &[Name]),
        extents: &[usize],
        dtype: Dtype,
    ) -> Option<TensorId> {
        let [factor] = &term.factors[..] else { return None };
        self.contraction(rewriter, (factor, order), extents, (term.scale, dtype))
    }

    /// The tensors whose product a term is; its number may go into one of them.
    fn term(
        &mut self,
        rewriter: &mut Rewriter<'_>,
        (factors, scale): (&[Factor], &mut Complex<f64>),
        extents: &[usize],
        dtype: Dtype,
    ) -> Vec<Edge> {
        let [factor] = factors else { return factors.iter().map(|factor| self.edge(rewriter, factor, dtype)).collect() };
        let mut inside = Vec::new();
        if self.inside(factor, &mut inside) && inside.len() <= MOST_INSIDE {
            return inside.iter().map(|factor| self.edge(rewriter, factor, dtype)).collect();
        }
        // The axes that it has, in the sum's order.
        let mut order: Vec<Name> = factor.labels.to_vec();
        order.sort_unstable();
        if let Some(tensor) = self.contraction(rewriter, (factor, &order), extents, (*scale, dtype)) {
            *scale = Complex::ONE;
            return vec![Edge::whole(tensor, &order.iter().map(|&label| usize::from(label)).collect::<Vec<_>>())];
        }
        vec![self.edge(rewriter, factor, dtype)]
    }

    /// The tensors of a product that sums over nothing and that no other term reads.
    fn inside(&self, factor: &Factor, found: &mut Vec<Factor>) -> bool {
        let node = &self.work.nodes[factor.node as usize];
        let Kind::Product(factors) = &node.kind else { return false };
        let sums = factors.iter().flat_map(|factor| &factor.labels).any(|&label| usize::from(label) >= node.extents.len());
        if sums || self.uses[factor.node as usize] > 1 || factor.conjugate {
            return false;
        }
        for own in factors {
            let labels = own.labels.iter().map(|&label| factor.labels[usize::from(label)]).collect();
            let own = Factor { labels, ..own.clone() };
            if !self.inside(&own, found) {
                found.push(own);
            }
        }
        true
    }

    /// A product that no other term reads, as a contraction with its axes in that order.
    fn contraction(
        &mut self,
        rewriter: &mut Rewriter<'_>,
        (factor, order): (&Factor, &[Name]),
        extents: &[usize],
        (alpha, dtype): (Complex<f64>, Dtype),
    ) -> Option<TensorId> {
        let node = &self.work.nodes[factor.node as usize];
        let Kind::Product(factors) = &node.kind else { return None };
        let own = order.len() == node.extents.len() && order.iter().all(|label| factor.labels.contains(label));
        if self.uses[factor.node as usize] > 1 || !own || factor.conjugate {
            return None;
        }
        debug_assert!(order.iter().all(|&label| usize::from(label) < extents.len()));
        let axes: Vec<Name> = order
            .iter()
            .map(|label| factor.labels.iter().position(|known| known == label).expect("it has all labels") as Name)
            .collect();
        Some(self.product(rewriter, factors, (&axes, &node.extents), (alpha, dtype)))
    }

    /// `alpha · Π factors` with axes in that order.
    fn product(
        &mut self,
        rewriter: &mut Rewriter<'_>,
        factors: &[Factor],
        (axes, extents): (&[Name], &[usize]),
        (alpha, dtype): (Complex<f64>, Dtype),
    ) -> TensorId {
        let mut factors = factors.to_vec();
        let mut names: SmallVec<[Name; 8]> = axes.iter().copied().collect();
        renamed(&mut factors, &mut names);
        let mut all = vec![0; names.len()];
        axes.iter().enumerate().for_each(|(n, &axis)| all[n] = extents[usize::from(axis)]);
        for factor in &factors {
            let own = &self.work.nodes[factor.node as usize].extents;
            factor.labels.iter().zip(own).for_each(|(&label, &extent)| all[usize::from(label)] = extent);
        }
        let inputs = factors.iter().map(|factor| self.edge(rewriter, factor, dtype)).collect();
        let labels: Vec<Label> = (0..axes.len()).collect();
        rewriter.graph_mut().add_operation(Operation::product(alpha), inputs, &[(&labels, dtype)], all)[0]
    }

    /// A factor as an operation reads it.
    fn edge(&mut self, rewriter: &mut Rewriter<'_>, factor: &Factor, dtype: Dtype) -> Edge {
        let work = self.work;
        if let Kind::Leaf(leaf) = work.nodes[factor.node as usize].kind {
            let leaf = &self.leaves[leaf];
            let mut labels = factor.labels.iter();
            let axes = leaf.axes.iter().map(|&axis| match axis {
                EdgeAxis::Label { start, .. } => {
                    let label = usize::from(*labels.next().expect("a leaf has a label for each axis"));
                    EdgeAxis::Label { label, start }
                }
                chip @ EdgeAxis::Chip(_) => chip,
            });
            let tensor = rewriter.moved(leaf.tensor).expect("leaves are computed before the sums of them");
            return Edge { tensor, axes: axes.collect(), conjugate: factor.conjugate };
        }
        let (tensor, axes) = self.node(rewriter, factor.node as usize, dtype);
        let labels: Vec<Label> = axes.iter().map(|&axis| usize::from(factor.labels[usize::from(axis)])).collect();
        Edge { conjugate: factor.conjugate, ..Edge::whole(tensor, &labels) }
    }

    fn node(&mut self, rewriter: &mut Rewriter<'_>, number: usize, dtype: Dtype) -> (TensorId, Vec<Name>) {
        if let Some(made) = &self.made[number] {
            return made.clone();
        }
        let work = self.work;
        let node = &work.nodes[number];
        let made = match &node.kind {
            Kind::Leaf(_) => unreachable!("leaves are there"),
            Kind::Sum(sum) => (self.sum(rewriter, *sum, dtype), (0..node.extents.len() as Name).collect()),
            Kind::Product(factors) => {
                let labels: Vec<Vec<Label>> =
                    factors.iter().map(|factor| factor.labels.iter().map(|&label| usize::from(label)).collect()).collect();
                let other: &[Label] = labels.get(1).map_or(&[], Vec::as_slice);
                let kept = Network::kept([&labels[0], other], |label| label < node.extents.len());
                let axes: Vec<Name> = kept.into_iter().map(|label| label as Name).collect();
                (self.product(rewriter, factors, (&axes, &node.extents), (Complex::ONE, dtype)), axes)
            }
        };
        self.made[number] = Some(made.clone());
        made
    }
}
