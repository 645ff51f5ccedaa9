//! Graphs that a program makes itself, and those of what it has recorded.

use num_complex::Complex;
use tensorwrapper::graph::{Edge, Instruction, OpGraph, Operation, Program, Reduction};
use tensorwrapper::prelude::*;
use tensorwrapper::{Dtype, ErrorKind};

fn contract() -> Operation {
    Operation::Contract { alpha: Complex::from(1.0), then: None }
}

/// A product of two matrices, and the trace of the product.
fn by_hand() -> OpGraph {
    let mut graph = OpGraph::new();
    let (a, b) = (graph.add_source(vec![2, 3], Dtype::F64), graph.add_source(vec![3, 2], Dtype::F64));
    let inputs = vec![Edge::whole(a, &[0, 2]), Edge::whole(b, &[2, 1])];
    let product = graph.add_operation(contract(), inputs, &[(&[0, 1], Dtype::F64)], vec![2, 2, 3])[0];
    let trace = graph.add_operation(contract(), vec![Edge::whole(product, &[0, 0])], &[(&[], Dtype::F64)], vec![2])[0];
    graph.add_sink(product);
    graph.add_sink(trace);
    graph
}

fn operands() -> (Tensor<f64>, Tensor<f64>) {
    let a = Tensor::from_fn([2, 3], |at| (at[0] + 2 * at[1]) as f64).unwrap();
    let b = Tensor::from_fn([3, 2], |at| (at[0] * at[1]) as f64 + 1.0).unwrap();
    (a, b)
}

#[test]
fn a_graph_made_by_hand_runs() {
    let (a, b) = operands();
    for context in [Context::cpu(), Context::reference(), Context::cpu().memory_limit(1000)] {
        let [product, trace] = &context.run_graph(&by_hand(), &[&a, &b]).unwrap()[..] else { panic!("two results") };
        let expected = tensor!([i, j] = a[i, k] * b[k, j]);
        assert_eq!(product.view::<f64>().unwrap(), expected.view());
        assert_eq!(trace.view::<f64>().unwrap()[[]], expected[[0, 0]] + expected[[1, 1]]);
        // Views are operands like others.
        let transposed = tensor!([k, i] = a[i, k]);
        let view = transposed.view().permute(&[1, 0]).unwrap();
        let again = context.run_graph(&by_hand(), &[&view, &b]).unwrap();
        assert_eq!(again[0].view::<f64>().unwrap(), expected.view());
    }
}

#[test]
fn tensors_that_do_not_fit_are_named() {
    let ((a, b), context) = (operands(), Context::cpu());
    let error = |sources: &[&dyn tensorwrapper::AnyOperand]| context.run_graph(&by_hand(), sources).unwrap_err();
    assert_eq!(error(&[&a]).to_string(), "the graph has 2 sources, but is run with 1 tensor");
    assert_eq!(error(&[&b, &a]).to_string(), "tensor 0 has extents [3, 2], but the graph's source 0 has extents [2, 3]");
    let single = a.cast::<f32>().unwrap();
    assert!(matches!(error(&[&single, &b]).kind(), ErrorKind::Element { expected: Dtype::F64, found: Dtype::F32 }));
    let recorded = (2.0 * a.at("ij")).record("ij").unwrap();
    assert_eq!(
        error(&[&recorded, &b]).to_string(),
        "tensor 0 is a recorded result, which has no memory\nhelp: evaluate it first"
    );
}

#[test]
fn graphs_that_are_wrong_are_refused() {
    let (a, _) = operands();
    let mut graph = OpGraph::new();
    let source = graph.add_source(vec![2, 3], Dtype::F64);
    let wrong = graph.add_operation(contract(), vec![Edge::whole(source, &[0])], &[(&[0], Dtype::F64)], vec![2])[0];
    graph.add_sink(wrong);
    let error = Context::cpu().run_graph(&graph, &[&a]).unwrap_err();
    assert_eq!(error.to_string(), "operation 0 of the graph: gives 1 index to tensor 0, whose rank is 2");

    let calls = |x: f64| x;
    let graph = a.at("ij").map(&calls).record("ij").unwrap().graph();
    let error = Context::cpu().run_graph(&graph, &[&a]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported(_)), "{error}");
}

#[test]
fn sources_and_repeated_tensors_may_be_wanted() {
    let (a, _) = operands();
    let mut graph = OpGraph::new();
    let source = graph.add_source(vec![2, 3], Dtype::F64);
    let program = Program::new(vec![Instruction::Input(0), Instruction::Negate(0)]);
    let negate = Operation::Map { program, reduction: Reduction::Sum };
    let inputs = vec![Edge::whole(source, &[0, 1])];
    let negated = graph.add_operation(negate, inputs, &[(&[0, 1], Dtype::F64)], vec![2, 3])[0];
    [source, negated, source, negated].into_iter().for_each(|tensor| graph.add_sink(tensor));
    let found = Context::cpu().run_graph(&graph, &[&a]).unwrap();
    let minus = tensor!([i, j] = -a[i, j]).into_dyn();
    for (found, expected) in found.iter().zip([&a, &minus, &a, &minus]) {
        assert_eq!(found.view::<f64>().unwrap(), expected.view());
    }
    assert!(Context::cpu().run_graph(&OpGraph::new(), &[]).unwrap().is_empty());
}

#[test]
fn the_graph_of_several_results_computes_them() {
    let (a, b) = operands();
    let product = (a.at("ik") * b.at("kj")).record("ij").unwrap();
    let power = (product.at("ij") * product.at("jk")).record("ik").unwrap();
    let context = Context::cpu();
    let expected = context.eval_all((&product, &power)).unwrap();
    let recorded = context.graph_of((&product, &power)).unwrap();
    let optimized = context.optimized_graph_of((&product, &power)).unwrap();
    for graph in [recorded, optimized] {
        assert_eq!((graph.sources().len(), graph.sinks().len()), (2, 2));
        let found = context.run_graph(&graph, &[&a, &b]).unwrap();
        assert_eq!(found[0].view::<f64>().unwrap(), expected.0.view());
        assert_eq!(found[1].view::<f64>().unwrap(), expected.1.view());
    }
    // One product of four factors as recorded is three of two when it is computed.
    let chain = (a.at("ij") * b.at("jk") * a.at("kl") * b.at("lm")).record("im").unwrap();
    assert_eq!(context.graph_of((&chain,)).unwrap().operations().len(), 1);
    assert!(context.optimized_graph_of((&chain,)).unwrap().operations().iter().all(|node| node.inputs.len() <= 2));
}
