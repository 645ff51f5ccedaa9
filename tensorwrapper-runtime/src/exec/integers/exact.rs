//! Graphs over integers in 64 bits that wrap around, one operation after the other.

use super::map::{literal, map, unsupported};
use super::product::{Labelled, contract};
use super::reader::Input;
use crate::exec::plan::Access;
use crate::expr::{ExactIntegers, Numbers};
use crate::tensor::in_c_order;
use tensorwrapper_core::backend::Reduction;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::graph::{Edge, EdgeAxis, Label, OpGraph, Operation, OperationNode, TensorId};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::stored::IntegersRef;

/// The wanted tensors of a graph over these sources.
///
/// # Errors
/// Memory, reductions over nothing, and operations that integers do not have.
pub(super) fn evaluate(graph: &OpGraph, given: &[Owned<i64>]) -> Result<Vec<ExactIntegers>, Error> {
    let mut made: Vec<Option<Owned<i64>>> = graph.tensors().iter().map(|_| None).collect();
    let layouts = graph.tensors().iter().map(|tensor| Strided::row_major(&tensor.extents));
    let layouts: Vec<Strided> = layouts.collect::<Result<_, _>>()?;
    for node in graph.operations() {
        let tensors = Tensors { graph, given, made: &made, layouts: &layouts };
        let output = node.outputs[0].tensor;
        made[output.0] = Some(tensors.compute(node)?);
    }
    let tensors = Tensors { graph, given, made: &made, layouts: &layouts };
    let wanted = |sink| {
        let mut numbers = Owned::with_room(tensors.numbers(sink).len())?;
        numbers.extend(tensors.numbers(sink).iter().copied());
        Ok(ExactIntegers { extents: graph.tensor(sink).extents.clone(), numbers: Numbers::I64(numbers) })
    };
    graph.sinks().iter().map(|&sink| wanted(sink)).collect()
}

/// What has been computed.
struct Tensors<'t> {
    graph: &'t OpGraph,
    given: &'t [Owned<i64>],
    made: &'t [Option<Owned<i64>>],
    /// All tensors are in C order.
    layouts: &'t [Strided],
}

impl Tensors<'_> {
    fn numbers(&self, tensor: TensorId) -> &[i64] {
        match (self.graph.tensor(tensor).slot, &self.made[tensor.0]) {
            (Some(slot), _) => &self.given[slot],
            (None, Some(numbers)) => numbers,
            (None, None) => unreachable!("operations stand in an order in which they can run"),
        }
    }

    /// Where an edge finds the elements of a tensor for indices of these labels.
    fn layout(&self, edge: &Edge, labels: &[Label], extents: &[usize]) -> Result<Strided, Error> {
        Ok(Access::new(edge, labels, extents, self.layouts)?.layout)
    }

    /// The same with the elements, for a program.
    fn input(&self, edge: &Edge, labels: &[Label], extents: &[usize]) -> Result<Input<'_>, Error> {
        Ok(Input { numbers: IntegersRef::I64(self.numbers(edge.tensor)), layout: self.layout(edge, labels, extents)? })
    }

    /// The elements that an edge reads, their axes in the order of its labels.
    fn labelled(&self, edge: &Edge, extents: &[usize]) -> Result<Labelled, Error> {
        let labels = edge.labels();
        let layout = self.layout(edge, &labels, extents)?;
        Ok(Labelled { numbers: in_c_order(self.numbers(edge.tensor), &layout)?, labels })
    }

    fn compute(&self, node: &OperationNode) -> Result<Owned<i64>, Error> {
        let kept = node.outputs[0].labels();
        match &node.operation {
            Operation::Contract { alpha, then } => {
                let (factors, others) = node.inputs.split_at(if then.is_some() { 2 } else { node.inputs.len() });
                let factors = factors.iter().map(|edge| self.labelled(edge, &node.extents)).collect::<Result<_, _>>()?;
                let sums = contract(literal(*alpha)?, factors, &kept, &node.extents)?;
                let Some(program) = then else { return Ok(sums) };
                let whole: Vec<usize> = kept.iter().map(|&label| node.extents[label]).collect();
                let mut inputs = vec![Input { numbers: IntegersRef::I64(&sums), layout: Strided::row_major(&whole)? }];
                for edge in others {
                    inputs.push(self.input(edge, &kept, &node.extents)?);
                }
                map(program, Reduction::Sum, &inputs, [sums.len(), 1])
            }
            Operation::Map { program, reduction } => {
                let reduced = (0..node.extents.len()).filter(|label| !kept.contains(label));
                let labels: Vec<Label> = kept.iter().copied().chain(reduced).collect();
                let input = |edge: &Edge| self.input(edge, &labels, &node.extents);
                let inputs: Vec<Input<'_>> = node.inputs.iter().map(input).collect::<Result<_, Error>>()?;
                let extents: Vec<usize> = labels.iter().map(|&label| node.extents[label]).collect();
                let (kept, reduced) = extents.split_at(kept.len());
                map(program, *reduction, &inputs, [kept.iter().product(), reduced.iter().product()])
            }
            Operation::Reshape => Ok(self.labelled(&node.inputs[0], &node.extents)?.numbers),
            Operation::Write { part } => self.written(node, part, &kept),
            Operation::Place { .. } => Err(unsupported("places of extremes")),
            Operation::Sliced { .. } => Err(unsupported("products in parts")),
            Operation::Factorise(_) => Err(unsupported("linear algebra")),
        }
    }

    /// A tensor with a part of it overwritten.
    fn written(&self, node: &OperationNode, place: &[EdgeAxis], kept: &[Label]) -> Result<Owned<i64>, Error> {
        let place = Edge { axes: place.to_vec(), ..node.outputs[0].clone() };
        let (part, base) = node.inputs.split_last().unwrap_or_else(|| unreachable!("a part is written"));
        let mut result = match base {
            [base, ..] => self.labelled(base, &node.extents)?.arranged(kept, &node.extents)?,
            [] => Owned::filled(self.layouts[place.tensor.0].len(), 0)?,
        };
        let part = self.labelled(part, &node.extents)?;
        let to = self.layout(&place, &part.labels, &node.extents)?;
        to.positions().zip(part.numbers.iter()).for_each(|(position, &number)| result[position] = number);
        Ok(result)
    }
}
