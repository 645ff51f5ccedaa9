//! One program for each element of integers that are read as they lie.

use super::map::{Input, map};
use crate::exec::plan::Access;
use crate::expr::{ExactIntegers, Numbers};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::graph::{OpGraph, Operation, OperationNode};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::stored::IntegersRef;

/// The integers of a source as they lie, if they are in memory so.
pub(super) type Found<'f> = Option<(IntegersRef<'f>, &'f Strided)>;

/// The result of a graph that is one element-wise program over integers as they lie; nothing of any other graph. `most` bounds what it
/// computes.
///
/// # Errors
/// Memory.
pub(super) fn evaluate(graph: &OpGraph, sources: &[Found<'_>], most: f64) -> Result<Option<ExactIntegers>, Error> {
    let ([node], [_]) = (graph.operations(), graph.sinks()) else { return Ok(None) };
    let Operation::Map { program, reduction } = &node.operation else { return Ok(None) };
    let labels = node.outputs[0].labels();
    let (Some(inputs), true) = (inputs(graph, node, sources)?, labels.len() == node.extents.len()) else { return Ok(None) };
    let extents: Vec<usize> = labels.iter().map(|&label| node.extents[label]).collect();
    let counts = [extents.iter().product(), 1];
    let numbers = match most <= f64::from(i32::MAX) {
        true => Numbers::I32(map(program, *reduction, &inputs, counts)?),
        false => Numbers::I64(map(program, *reduction, &inputs, counts)?),
    };
    Ok(Some(ExactIntegers { extents, numbers }))
}

/// What the program reads, unless some of it is no integers of the program or of a result.
fn inputs<'s>(graph: &OpGraph, node: &OperationNode, sources: &[Found<'s>]) -> Result<Option<Vec<Input<'s>>>, Error> {
    let mut layouts = Vec::with_capacity(graph.tensors().len());
    let mut found = Vec::with_capacity(graph.tensors().len());
    for tensor in graph.tensors() {
        let numbers = tensor.slot.and_then(|slot| sources[slot]);
        layouts.push(match numbers {
            Some((_, layout)) => layout.clone(),
            None => Strided::row_major(&tensor.extents)?,
        });
        found.push(numbers.map(|(numbers, _)| numbers));
    }
    let labels = node.outputs[0].labels();
    let mut inputs = Vec::with_capacity(node.inputs.len());
    for edge in &node.inputs {
        let Some(numbers) = found[edge.tensor.0] else { return Ok(None) };
        inputs.push(Input { numbers, layout: Access::new(edge, &labels, &node.extents, &layouts)?.layout });
    }
    Ok(Some(inputs))
}
