//! Turns an element-wise program over a product into the product's epilogue: `f(alpha · A · B + beta · C)` becomes one
//! operation, so that a device can compute it in one pass, and the product alone is never stored.

use std::collections::HashSet;

use tensorwrapper_core::backend::{Instruction, Program};
use tensorwrapper_core::graph::{Edge, Label, OpGraph, Operation, OperationId, OperationNode, Readers, Rewriter, TensorId};

/// The graph with such programs as epilogues of contractions; `None` if there are no such programs.
pub(super) fn finish(graph: &OpGraph) -> Option<OpGraph> {
    let readers = graph.readers();
    let finished: Vec<Option<(usize, OperationId)>> =
        graph.operations().iter().map(|node| product(graph, &readers, node)).collect();
    let inside: HashSet<usize> = finished.iter().flatten().map(|(_, id)| id.0).collect();
    (!inside.is_empty()).then(|| {
        Rewriter::run(graph, |rewriter, id, node| match finished[id.0] {
            _ if inside.contains(&id.0) => Vec::new(),
            Some((input, id)) => vec![joined(rewriter, node, (input, graph.operation(id)))],
            None => rewriter.keep(node),
        })
    })
}

/// The input of a program, and the contraction that makes it, where both may become one operation: no other operation reads it, and
/// the program reads each element of it once, in its place.
fn product(graph: &OpGraph, readers: &Readers, node: &OperationNode) -> Option<(usize, OperationId)> {
    let (program, _) = node.operation.as_map()?;
    let output = &node.outputs[0];
    let converts = |instruction: &Instruction| matches!(instruction, Instruction::Converted(_) | Instruction::Call(..));
    if output.axes.len() != node.extents.len() || program.instructions().iter().any(converts) {
        return None;
    }
    let is_whole =
        |edge: &Edge| edge.axes.len() == output.axes.len() && edge.is_whole(&graph.tensor(edge.tensor).extents, &node.extents);
    node.inputs.iter().enumerate().find_map(|(n, edge)| {
        let producer = graph.tensor(edge.tensor).producer?;
        let made = graph.operation(producer);
        // Positions of the other inputs are counted in the whole space, which must have points for that.
        let sums = made.operation.as_product().is_some() && made.inputs.len() == 2 && !made.extents.contains(&0);
        (sums && readers.uses(edge.tensor) == 1 && is_whole(edge)).then_some((n, producer))
    })
}

/// The program as the last step of the contraction that makes its input of that number.
fn joined(rewriter: &mut Rewriter<'_>, node: &OperationNode, (input, contraction): (usize, &OperationNode)) -> TensorId {
    let (Some((program, _)), Some(alpha)) = (node.operation.as_map(), contraction.operation.as_product()) else {
        unreachable!("a program and a contraction were found");
    };
    let graph = rewriter.old();
    // The program's labels as the contraction numbers them.
    let (own, known) = (node.inputs[input].labels(), contraction.outputs[0].labels());
    let told = |label: Label| known[own.iter().position(|&l| l == label).expect("the product has all labels")];
    let others = node.inputs.iter().enumerate().filter(|(n, _)| *n != input);
    let others = others.map(|(_, edge)| rewriter.read(edge).relabelled(told));
    let inputs = contraction.inputs.iter().map(|edge| rewriter.read(edge)).chain(others).collect();
    let labels: Vec<Label> = node.outputs[0].labels().into_iter().map(told).collect();
    let dtype = graph.tensor(node.outputs[0].tensor).dtype;
    let operation = Operation::Contract { alpha, then: Some(with_first(program, input)) };
    let result = rewriter.graph_mut();
    let made = result.add_operation(operation, inputs, &[(&labels, dtype)], contraction.extents.clone())[0];
    result.name_last_as(graph, contraction, 0..contraction.extents.len());
    made
}

/// The program with that input as its first, the others behind it in their order.
fn with_first(program: &Program, input: usize) -> Program {
    let place = |n: usize| if n == input { 0 } else { n + usize::from(n < input) };
    let instructions = program.instructions().iter().map(|&instruction| match instruction {
        Instruction::Input(n) => Instruction::Input(place(n)),
        other => other,
    });
    Program::new(instructions.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Expr;
    use crate::link::Link;
    use crate::lower::lower;
    use crate::tensor::Tensor;

    fn finished(expr: &[&Expr<'_, f64>]) -> Vec<String> {
        let values: Vec<_> = expr.iter().map(|expr| Link::clone(expr.value())).collect();
        let graph = lower(&values).graph;
        let graph = finish(&graph).unwrap_or(graph);
        graph.verify().unwrap();
        let name = |node: &OperationNode| match &node.operation {
            Operation::Contract { then, .. } => {
                format!("contract {}{}", node.inputs.len(), if then.is_some() { " then" } else { "" })
            }
            Operation::Map { .. } => format!("map {}", node.inputs.len()),
            other => format!("{other:?}"),
        };
        graph.operations().iter().map(name).collect()
    }

    #[test]
    fn programs_over_a_product_are_its_last_step_unless_it_is_wanted_elsewhere() {
        let a = Tensor::<f64>::filled([3, 3], 1.0).unwrap();
        let product: Expr<'_, f64> = (a.at("ik") * a.at("kj")).record("ij").unwrap();
        let sum: Expr<'_, f64> = (product.at("ij") + a.at("ji")).record("ij").unwrap();
        assert_eq!(finished(&[&sum]), ["contract 3 then"]);
        assert_eq!(finished(&[&product, &sum]), ["contract 2", "map 2"]);
        // Read in another order it is made in that order; its diagonal is not all of it; nor is it, where it is spread.
        let turned: Expr<'_, f64> = (product.at("ji").exp() * a.at("ij")).record("ij").unwrap();
        assert_eq!(finished(&[&turned]), ["contract 3 then"]);
        let diagonal: Expr<'_, f64> = (product.at("ii").exp() + a.at("ij").max("j")).record("i").unwrap();
        assert!(!finished(&[&diagonal]).contains(&"contract 3 then".to_string()));
        // The sum of what is computed with each element takes a pass of its own.
        let total: Expr<'_, f64> = product.at("ij").exp().sum("j").record("i").unwrap();
        assert_eq!(finished(&[&total]), ["contract 2", "map 1"]);
    }
}
