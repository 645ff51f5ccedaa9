//! Graphs that keep or break their promises, and graphs made of others.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use num_complex::Complex;

use super::*;
use crate::element::Dtype;

fn one() -> Operation {
    Operation::product(Complex::ONE)
}

/// A graph of one operation over sources of these extents, or what is wrong with it.
fn verified(sources: &[&[usize]], operation: Operation, inputs: Vec<Edge>, output: &[Label], extents: &[usize]) -> String {
    let mut graph = OpGraph::new();
    sources.iter().for_each(|extents| {
        graph.add_source(extents.to_vec(), Dtype::F64);
    });
    let made = graph.add_operation(operation, inputs, &[(output, Dtype::F64)], extents.to_vec());
    graph.add_sink(made[0]);
    graph.verify().map_or_else(|error| error.to_string(), |()| String::new())
}

#[test]
fn a_wrong_edge_is_named() {
    let axes = vec![EdgeAxis::Label { label: 0, start: 0 }, EdgeAxis::Label { label: 1, start: 1 }];
    let edge = Edge { tensor: TensorId(0), axes, conjugate: false };
    let message = verified(&[&[2, 3]], one(), vec![edge], &[0], &[2, 3]);
    assert_eq!(message, "operation 0 of the graph: label 1 runs to 4 on axis 1 of tensor 0, which has extent 3");
}

#[test]
fn what_an_operation_cannot_do_is_told() {
    let whole = |labels: &[Label]| Edge::whole(TensorId(0), labels);
    let transposed = verified(&[&[2, 2]], Operation::Reshape, vec![whole(&[0, 0])], &[1], &[2, 2]);
    assert!(transposed.contains("reads a part"), "{transposed}");
    let part = vec![EdgeAxis::Label { label: 0, start: 2 }];
    let outside = verified(&[&[2]], Operation::Write { part: part.clone() }, vec![whole(&[0])], &[1], &[2, 3]);
    assert!(outside.contains("runs to 4"), "{outside}");
    assert_eq!(verified(&[&[2]], Operation::Write { part }, vec![whole(&[0])], &[1], &[2, 4]), "");
    let fixed = Operation::Write { part: vec![EdgeAxis::Chip(0)] };
    let again = verified(&[&[2]], fixed, vec![whole(&[0])], &[1], &[2, 3]);
    assert!(again.contains("other labels than its place"), "{again}");
    let call = Decomposition::plain(Factorisation::Inv, 0, [1, 1, 0, 0, 0, 0]);
    let oblong = verified(&[&[2, 3]], Operation::Factorise(call.clone()), vec![whole(&[0, 1])], &[1, 0], &[2, 3]);
    assert!(oblong.contains("not square"), "{oblong}");
    let turned = verified(&[&[3, 3]], Operation::Factorise(call), vec![whole(&[0, 1])], &[0, 1], &[3, 3]);
    assert!(turned.contains("result 0 has labels"), "{turned}");
    let then = Some(Program::new(vec![Instruction::Input(0), Instruction::Input(1), Instruction::Combine(Binary::Add, 0, 1)]));
    let summed = Operation::Contract { alpha: Complex::ONE, then };
    let inputs = vec![whole(&[0, 1]), whole(&[0, 1]), whole(&[0, 1])];
    let message = verified(&[&[2, 2]], summed, inputs, &[0], &[2, 2]);
    assert!(message.contains("label 1 is summed"), "{message}");
}

/// `[i] = A[i] · A[i]`, and its sum.
fn squares() -> OpGraph {
    let mut graph = OpGraph::new();
    let a = graph.add_source(vec![2], Dtype::F64);
    let inputs = |tensor, count| vec![Edge::whole(tensor, &[0]); count];
    let b = graph.add_operation(one(), inputs(a, 2), &[(&[0], Dtype::F64)], vec![2])[0];
    let c = graph.add_operation(one(), inputs(b, 1), &[(&[], Dtype::F64)], vec![2])[0];
    graph.add_sink(c);
    graph.verify().unwrap();
    graph
}

#[test]
fn queries_follow_edges() {
    let graph = squares();
    let [a, b, c] = [0, 1, 2].map(TensorId);
    assert_eq!(graph.degree(a), Degree { incoming: 0, outgoing: 2 });
    assert_eq!(graph.degree(b), Degree { incoming: 1, outgoing: 1 });
    let [first, second] = [0, 1].map(OperationId);
    assert!(graph.adjacent(first, second) && !graph.adjacent(second, first));
    assert_eq!(graph.sources().collect::<Vec<_>>(), [a]);
    assert_eq!(graph.sinks(), [c]);
    assert_eq!((graph.predecessors(second), graph.successors(first)), (vec![first], vec![second]));
    assert_eq!((graph.predecessors(first), graph.successors(second)), (vec![], vec![]));
    let readers = graph.readers();
    assert_eq!(readers.of(a), [(first, 0), (first, 1)]);
    assert_eq!((readers.uses(b), readers.wanted(b), readers.uses(c), readers.wanted(c)), (1, 0, 1, 1));
    assert!(graph.backwards().map(|(id, _)| id).eq([second, first]));
}

#[test]
fn a_rebuilt_graph_has_no_dead_operations_and_keeps_names() {
    let mut graph = squares();
    let names = graph.add_names(&LabelNames::new(["p"].into_iter()));
    graph.name_last(names, &[0]);
    let rebuilt = graph.rebuild(|rewriter, _, node| Ok(rewriter.keep(node))).unwrap();
    assert_eq!(rebuilt, graph);
    assert_eq!(rebuilt.label_name(OperationId(1), 0).unwrap().0, "p");
    // The sum is that of the source itself: nobody needs its squares.
    let shorter = graph.rebuild(|rewriter, id, node| {
        let inputs = match id.0 {
            0 => rewriter.inputs(node),
            _ => vec![Edge::whole(TensorId(0), &[0])],
        };
        Ok(rewriter.keep_over(node, inputs))
    });
    assert_eq!(shorter.unwrap().operations().len(), 1);
}

#[test]
fn what_cannot_stand_for_a_tensor_is_refused() {
    let graph = squares();
    let source = |count: usize| graph.rebuild(|_, _, _| Ok(vec![TensorId(0); count])).unwrap_err().to_string();
    assert_eq!(source(0), "what is to stand for operation 0 of the graph: there are 0 tensors for 1 output");
    assert_eq!(
        source(1),
        "what is to stand for operation 1 of the graph: a tensor is f64 of extents [2] instead of f64 of extents []"
    );
    let outside = graph.rebuild(|_, _, _| Ok(vec![TensorId(9)])).unwrap_err().to_string();
    assert!(outside.contains("tensor 9 does not exist"), "{outside}");
}

/// A product of two matrices, of which another product, a reshape and the program read the result.
fn read_by_many() -> OpGraph {
    let mut graph = OpGraph::new();
    let [a, b] = [[2, 3], [3, 4]].map(|extents| graph.add_source(extents.to_vec(), Dtype::F64));
    let inputs = vec![Edge::whole(a, &[0, 2]), Edge::whole(b, &[2, 1])];
    let product = graph.add_operation(one(), inputs, &[(&[0, 1], Dtype::F64)], vec![2, 4, 3])[0];
    let inputs = vec![Edge::whole(product, &[0, 1])];
    let flat = graph.add_operation(Operation::Reshape, inputs, &[(&[2], Dtype::F64)], vec![2, 4, 8])[0];
    let inputs = vec![Edge::whole(product, &[0, 1]), Edge::whole(product, &[0, 1])];
    let norm = graph.add_operation(one(), inputs, &[(&[], Dtype::F64)], vec![2, 4])[0];
    [product, flat, norm].into_iter().for_each(|tensor| graph.add_sink(tensor));
    graph.verify().unwrap();
    graph
}

#[test]
fn an_output_is_computed_in_another_order_and_read_in_it() {
    let graph = read_by_many();
    let turned = graph.with_output_permuted(OperationId(0), 0, &[1, 0]).unwrap();
    let extents = |graph: &OpGraph| graph.sinks().iter().map(|&sink| graph.tensor(sink).extents.clone()).collect::<Vec<_>>();
    assert_eq!(extents(&turned), extents(&graph));
    let made = turned.operation(OperationId(0)).outputs[0].clone();
    assert_eq!((made.labels(), &turned.tensor(made.tensor).extents[..]), (vec![1, 0], &[4, 2][..]));
    // One copy in the old order serves both the result and the reshape.
    assert_eq!(turned.operations().len(), graph.operations().len() + 1);
    let norm = turned.operations().last().unwrap();
    assert!(norm.inputs.iter().all(|edge| edge.tensor == made.tensor && edge.labels() == [1, 0]));
    let refused = graph.with_output_permuted(OperationId(1), 0, &[0]).unwrap_err().to_string();
    assert_eq!(refused, "the results of `reshape` have an order of their own");
}

#[test]
fn operations_are_the_same_with_other_labels() {
    let graph = read_by_many();
    let node = graph.operation(OperationId(0)).relabelled(&[2, 0, 1]).unwrap();
    assert_eq!((&node.extents[..], node.outputs[0].labels()), (&[4, 3, 2][..], vec![2, 0]));
    assert_eq!(node.cost(), graph.operation(OperationId(0)).cost());
    assert_eq!((node.folded_labels(), node.sums()), (vec![1], true));
}

#[test]
fn a_graph_is_appended_to_another() {
    let (inner, mut graph) = (squares(), OpGraph::new());
    let source = graph.add_source(vec![2], Dtype::F64);
    let first = graph.add_copy(source);
    let sums = [source, first].map(|tensor| graph.append(&inner, &[tensor]).unwrap()[0]);
    sums.into_iter().for_each(|sum| graph.add_sink(sum));
    graph.verify().unwrap();
    assert_eq!(graph.operations().len(), 5);
    assert_eq!(graph.operation(OperationId(3)).inputs[0].tensor, first);
    let scalar = graph.append(&inner, &sums[..1]).unwrap_err().to_string();
    assert_eq!(scalar, "source 0 of the graph is f64 of extents [2], and the tensor for it is f64 of extents []");
    assert!(graph.append(&inner, &[]).is_err());
}

#[test]
fn structure_tells_tensors_apart_and_is_refused_where_it_is_not_known() {
    let graph = |structure| {
        let mut graph = OpGraph::new();
        let source = graph.add_structured_source(vec![2], Dtype::F64, structure);
        let copy = graph.add_copy(source);
        graph.add_sink(copy);
        graph
    };
    let (dense, other) = (graph(Structure::Dense), graph(Structure::Unknown));
    let hash = |graph: &OpGraph| {
        let mut hasher = DefaultHasher::new();
        graph.tensors().hash(&mut hasher);
        hasher.finish()
    };
    assert_ne!(dense, other);
    assert_ne!(hash(&dense), hash(&other));
    dense.verify().unwrap();
    assert!(other.verify().unwrap_err().to_string().contains("which is not dense"));
    // A graph made of another one has sources of the same structure.
    assert_eq!(Rewriter::new(&other).graph().tensor(TensorId(0)).structure, Structure::Unknown);
}

#[test]
fn a_source_that_is_wanted_is_copied() {
    let mut graph = OpGraph::new();
    let source = graph.add_source(vec![2, 3], Dtype::F32);
    let copy = graph.add_copy(source);
    [source, copy, source].into_iter().for_each(|tensor| graph.add_sink(tensor));
    graph.copy_wanted_sources();
    graph.verify().unwrap();
    assert_eq!(graph.operations().len(), 3);
    assert_eq!(graph.sinks()[1], copy);
    assert!(graph.sinks().iter().all(|&sink| graph.tensor(sink).producer.is_some() && graph.tensor(sink).extents == [2, 3]));
}
