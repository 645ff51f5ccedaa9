//! Graphs that keep or break their promises.

use super::*;

#[test]
fn a_wrong_edge_is_named() {
    let mut graph = OpGraph::new();
    let a = graph.add_source(vec![2, 3], Dtype::F64);
    let axes = vec![EdgeAxis::Label { label: 0, start: 0 }, EdgeAxis::Label { label: 1, start: 1 }];
    let edge = Edge { tensor: a, axes, conjugate: false };
    graph.add_operation(
        Operation::Contract { alpha: Complex::new(1.0, 0.0), then: None },
        vec![edge],
        &[(&[0], Dtype::F64)],
        vec![2, 3],
    );
    let message = graph.verify().unwrap_err().to_string();
    assert_eq!(message, "operation 0 of the graph: label 1 runs to 4 on axis 1 of tensor 0, which has extent 3");
}

#[test]
fn queries_follow_edges() {
    let mut graph = OpGraph::new();
    let a = graph.add_source(vec![2], Dtype::F64);
    let edge = |tensor| Edge { tensor, axes: vec![EdgeAxis::Label { label: 0, start: 0 }], conjugate: false };
    let alpha = Complex::new(1.0, 0.0);
    let b =
        graph.add_operation(Operation::Contract { alpha, then: None }, vec![edge(a), edge(a)], &[(&[0], Dtype::F64)], vec![2])[0];
    let c = graph.add_operation(Operation::Contract { alpha, then: None }, vec![edge(b)], &[(&[], Dtype::F64)], vec![2])[0];
    graph.add_sink(c);
    graph.verify().unwrap();
    assert_eq!(graph.degree(a), Degree { incoming: 0, outgoing: 2 });
    assert_eq!(graph.degree(b), Degree { incoming: 1, outgoing: 1 });
    assert!(graph.adjacent(OperationId(0), OperationId(1)) && !graph.adjacent(OperationId(1), OperationId(0)));
    assert_eq!(graph.sources().collect::<Vec<_>>(), [a]);
    assert_eq!(graph.sinks(), [c]);
}
