//! Plans keep what is needed and no longer, and mean the same in every order of products.

use num_complex::Complex;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use std::sync::Arc;

use super::plan::Plan;
use super::planner::plan;
use super::run::Observer;
use super::*;
use crate::expr::Expr;
use crate::link::Link;
use crate::lower::lower;
use crate::optimize::{Choices, optimize};
use crate::tensor::Tensor;
use tensorwrapper_core::backend::reference::Reference;
use tensorwrapper_core::backend::{BackendInstance, Device};
use tensorwrapper_core::element::{Dtype, Element as _};
use tensorwrapper_core::graph::{Edge, EdgeAxis, OpGraph, Operation, TensorId};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::SliceRef;
use tensorwrapper_order::Order;

fn planned(graph: &OpGraph) -> Plan {
    let layouts: Vec<Strided> =
        graph.sources().map(|source| Strided::row_major(&graph.tensor(source).extents).unwrap()).collect();
    plan(&Reference, graph.clone(), &layouts).unwrap()
}

/// What a plan computes on a device.
pub(super) fn run(plan: &Plan, device: Arc<dyn Device>, sources: &[SliceRef<'_>]) -> Computed {
    let backend = Arc::new(BackendInstance::of_device(device));
    Execution::new(plan, &backend, &Observer::default()).run(sources, ResultPlacement::Host).unwrap()
}

/// A chain of vectors, each the square of the one before; wanted are some of them.
fn chain(length: usize, wanted: &[usize]) -> OpGraph {
    let mut graph = OpGraph::new();
    let mut last = graph.add_source(vec![3], Dtype::F64);
    let mut made = Vec::new();
    for _ in 0..length {
        let alpha = Complex::new(1.0, 0.0);
        let inputs = vec![Edge::whole(last, &[0]), Edge::whole(last, &[0])];
        last = graph.add_operation(Operation::Contract { alpha, then: None }, inputs, &[(&[0], Dtype::F64)], vec![3])[0];
        made.push(last);
    }
    wanted.iter().for_each(|&n| graph.add_sink(made[n]));
    graph
}

#[test]
fn intermediates_are_released_after_their_last_reader() {
    let plan = planned(&chain(4, &[3]));
    let released: Vec<Vec<usize>> = plan.steps.iter().map(|step| step.release.iter().map(|t| t.0).collect()).collect();
    // Tensor 0 is the source, which a plan never releases.
    assert_eq!(released, [vec![], vec![1], vec![2], vec![3]]);
    // What is wanted stays, wherever it is read.
    let plan = planned(&chain(4, &[1, 3, 1]));
    let released: Vec<Vec<usize>> = plan.steps.iter().map(|step| step.release.iter().map(|t| t.0).collect()).collect();
    assert_eq!(released, [vec![], vec![1], vec![], vec![3]]);
    // A tensor that no step reads is released at once.
    let plan = planned(&chain(3, &[1]));
    assert_eq!(plan.steps[2].release[..], [TensorId(3)]);
}

#[test]
fn result_wanted_twice_is_returned_twice() {
    let x = Tensor::<f64>::from_vec([3], vec![1.0, 2.0, 3.0]).unwrap();
    let square = (x.at("i") * x.at("i")).record("i").unwrap();
    let sum = square.at("i").record("").unwrap();
    let values = [square.value(), sum.value(), square.value()].map(Link::clone);
    for context in [Context::cpu(), Context::reference()] {
        let found: Vec<Tensor<f64>> =
            evaluate(&context, &values).unwrap().into_iter().map(|result| result.into_tensor().unwrap()).collect();
        assert_eq!(found[0].as_slice(), [1.0, 4.0, 9.0]);
        assert_eq!((found[1].as_slice(), found[0].as_slice()), (&[14.0][..], found[2].as_slice()));
    }
    assert!(evaluate(&Context::cpu(), &[]).unwrap().is_empty());
}

#[test]
fn empty_tensors_give_empty_results() {
    let (none, some) = (Tensor::<f64>::zeros([0, 3]).unwrap(), Tensor::<f64>::filled([3, 2], 1.0).unwrap());
    for context in [Context::cpu(), Context::cpu().threads(1), Context::reference()] {
        let eval = |right: crate::expr::Indexed<'_, f64>, left: &str| right.eval_in(&context, left).unwrap();
        assert_eq!(eval(none.at("ik") * some.at("kj"), "ij").extents(), [0, 2]);
        assert_eq!(eval(none.at("ik") * none.at("il"), "kl").as_slice(), [0.0; 9]);
        assert_eq!(eval(none.at("ik").prod("i"), "k").as_slice(), [1.0; 3]);
        assert_eq!(eval(some.at("k in 3..,j"), "kj").extents(), [0, 2]);
        assert_eq!(eval(some.at("k,j in 1..1"), "").as_slice(), [0.0]);
        assert_eq!(eval(none.at("ik").exp() + none.at("ik"), "iki").extents(), [0, 3, 0]);
        assert!(none.at("ik").max("i").eval_in(&context, "k").is_err());
    }
}

/// Any number of threads will do, and none means one.
#[test]
fn the_number_of_threads_is_clamped() {
    let a = Tensor::<f64>::filled([96, 96], 1.0).unwrap();
    for threads in [0, 1, 3, usize::MAX] {
        let product = Context::cpu().threads(threads).einsum("ik,kj->ij", &[&a, &a]).unwrap();
        assert!(product.as_slice().iter().all(|&x| x == 96.0), "{threads} threads");
    }
}

/// A maximum over a label that has an extent, where the result has no element: that is no error.
#[test]
fn maximum_over_labels_of_an_empty_result() {
    let none = Tensor::<f64>::zeros([0, 3]).unwrap();
    for context in [Context::cpu(), Context::reference()] {
        assert_eq!(none.at("ik").max("k").eval_in(&context, "i").unwrap().extents(), [0]);
    }
}

#[test]
fn device_errors_are_returned() {
    let graph = chain(1, &[0]);
    let x = Tensor::<f64>::filled([3], 2.0).unwrap();
    let found = run(&planned(&graph), Arc::new(Reference), &[x.erase().data]);
    assert_eq!(f64::typed(found[0].as_ref()), Some(&[4.0; 3][..]));
    let huge = Tensor::<f64>::filled([1 << 20], 1.0).unwrap();
    let outer = huge.at("i") * huge.at("j") * huge.at("k") * huge.at("l");
    assert!(outer.eval("ijkl").is_err());
}

/// A random product of up to six factors: hyper-edges, diagonals, labels of one factor alone, scalars.
fn product(rng: &mut StdRng) -> (OpGraph, Vec<Tensor<f64>>) {
    let labels = rng.random_range(1..6);
    let extents: Vec<usize> = (0..labels).map(|_| rng.random_range(1..4)).collect();
    let (mut graph, mut tensors, mut inputs) = (OpGraph::new(), Vec::new(), Vec::new());
    for _ in 0..rng.random_range(1..7) {
        let axes: Vec<usize> = (0..rng.random_range(0..4)).map(|_| rng.random_range(0..labels)).collect();
        let own: Vec<usize> = axes.iter().map(|&label| extents[label]).collect();
        let source = graph.add_source(own.clone(), Dtype::F64);
        tensors.push(Tensor::from_fn(own, |_| rng.random_range(-1.0..1.0)).unwrap());
        inputs.push(Edge::whole(source, &axes));
    }
    let mut kept: Vec<usize> = inputs.iter().flat_map(Edge::labels).filter(|_| rng.random_bool(0.4)).collect();
    kept.sort_unstable();
    kept.dedup();
    // Labels of the operation are those that occur.
    let mut present: Vec<usize> = kept.clone();
    for label in inputs.iter().flat_map(Edge::labels).collect::<Vec<_>>() {
        if !present.contains(&label) {
            present.push(label);
        }
    }
    for axis in inputs.iter_mut().flat_map(|edge| &mut edge.axes) {
        let EdgeAxis::Label { label, .. } = axis else { continue };
        *label = present.iter().position(|p| p == label).unwrap();
    }
    let own_extents = present.iter().map(|&label| extents[label]).collect();
    let output: Vec<usize> = (0..kept.len()).collect();
    let alpha = Complex::new(rng.random_range(0.5..2.0), 0.0);
    let made = graph.add_operation(Operation::Contract { alpha, then: None }, inputs, &[(&output, Dtype::F64)], own_extents)[0];
    graph.add_sink(made);
    (graph, tensors)
}

#[test]
fn pairs_make_the_same_product() {
    let mut rng = StdRng::seed_from_u64(7);
    for case in 0..400 {
        let (graph, tensors) = product(&mut rng);
        graph.verify().unwrap();
        let sources: Vec<_> = tensors.iter().map(|tensor| tensor.erase().data).collect();
        let result = |graph: &OpGraph| -> Tensor<f64> {
            let plan = planned(graph);
            let elements = f64::typed_vec(run(&plan, Arc::new(Reference), &sources).remove(0)).unwrap();
            Tensor::from_parts(elements, plan.results[0].clone())
        };
        let expected = result(&graph);
        for order in [Order::Auto, Order::Exact, Order::Greedy, Order::AsWritten] {
            let binary = optimize(&graph, &Choices { order: order.clone(), ..Choices::default() }, None).unwrap();
            assert!(binary.operations().iter().all(|node| node.inputs.len() <= 2));
            assert_eq!(binary.operations().len(), graph.operations()[0].inputs.len().saturating_sub(1).max(1));
            let found = result(&binary);
            assert_eq!(found.extents(), expected.extents());
            for (a, b) in found.as_slice().iter().zip(expected.as_slice()) {
                assert!((a - b).abs() < 1e-11, "case {case}, {order:?}: {a} instead of {b}\n{graph:?}");
            }
        }
    }
}

/// Passes leave everything but contractions as it is.
#[test]
fn other_operations_keep_their_places() {
    let a = Tensor::<f64>::from_fn([3, 3], |x| if x[0] == x[1] { 4.0 } else { 1.0 }).unwrap();
    let b = (a.at("ik") * a.at("kl") * a.at("lj")).record("ij").unwrap();
    let c: Expr<'_, f64> = (b.at("ij").exp() / b.at("ik").max("k") + a.at("ij")).record("iij").unwrap();
    let graph = lower(&[Link::clone(c.value()), Link::clone(b.value())]).graph;
    let binary = optimize(&graph, &Choices::default(), None).unwrap();
    let count = |graph: &OpGraph, contract: bool| {
        graph.operations().iter().filter(|node| matches!(node.operation, Operation::Contract { .. }) == contract).count()
    };
    assert_eq!((count(&graph, true), count(&binary, true)), (1, 2));
    assert_eq!(count(&graph, false), count(&binary, false));
    assert_eq!(binary.sinks().len(), 2);
}
