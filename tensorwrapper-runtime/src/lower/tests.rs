//! What recordings become: how many operations, over which tensors.

use num_complex::Complex;

use super::*;
use crate::expr::{Expr, Indexed};
use crate::tensor::Tensor;
use tensorwrapper_core::backend::{Instruction, Reduction, Unary};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::graph::OperationNode;
use tensorwrapper_core::shape::Extents;

fn tensor<T: Element>(extents: &[usize]) -> Tensor<T> {
    Tensor::filled(extents, T::ONE).unwrap()
}

/// The graph of the equation `[left] = right`, and the number of its sources.
fn graph<T: Element>(right: &Indexed<'_, T>, left: &str) -> (OpGraph, usize) {
    graph_of(&[&right.record(left).unwrap()])
}

fn graph_of<T: Element, S: Extents>(wanted: &[&Expr<'_, T, S>]) -> (OpGraph, usize) {
    let values: Vec<_> = wanted.iter().map(|expr| expr.value().clone()).collect();
    let Lowered { graph, sources, .. } = lower(&values);
    graph.verify().unwrap();
    assert_eq!(graph.sinks().len(), wanted.len());
    (graph, sources.len())
}

/// The names of a graph's operations in order, with the number of their inputs.
fn operations(graph: &OpGraph) -> Vec<String> {
    let name = |node: &OperationNode| match &node.operation {
        Operation::Contract { alpha, .. } => format!("contract {} by {}", node.inputs.len(), alpha.re),
        Operation::Map { reduction: Reduction::Sum, .. } if node.extents.len() == node.outputs[0].axes.len() => {
            format!("map {}", node.inputs.len())
        }
        Operation::Map { reduction, .. } => format!("{reduction:?} of {}", node.inputs.len()),
        other => format!("{} {}", other.name(), node.inputs.len()),
    };
    graph.operations().iter().map(name).collect()
}

#[test]
fn a_product_under_a_sum_is_one_contraction() {
    let (a, b, c) = (tensor::<f64>(&[2, 3]), tensor(&[3, 4]), tensor(&[4, 2]));
    let (g, sources) = graph(&(a.at("ij") * b.at("jk") * c.at("kl")), "il");
    assert_eq!((operations(&g), sources), (vec!["contract 3 by 1".to_string()], 3));
    // Constants and signs are its factor; sums inside it are its own.
    let inner = (b.at("jk") * c.at("kl")).sum("k");
    let (g, _) = graph(&(2.0 * -a.at("ij") * (0.5 * inner) / 4.0), "il");
    assert_eq!(operations(&g), ["contract 3 by -0.25"]);
    // Three factors share a label: still one contraction, and no diagonal matrix.
    let (g, _) = graph(&(a.at("ir") * a.at("jr") * a.at("kr")), "ijk");
    assert_eq!(operations(&g), ["contract 3 by 1"]);
    assert_eq!(g.operations()[0].extents, [2, 2, 2, 3]);
}

#[test]
fn diagonals_slices_and_positions_are_edges() {
    let a = tensor::<f64>(&[3, 3, 4]);
    let (g, sources) = graph(&(a.at("i,i,k in 1..3") * a.at("0,i,k in 2..")), "i");
    assert_eq!((operations(&g), sources), (vec!["contract 2 by 1".to_string()], 1));
    let label = |label, start| EdgeAxis::Label { label, start };
    assert_eq!(g.operations()[0].inputs[0].axes, [label(0, 0), label(0, 0), label(1, 1)]);
    assert_eq!(g.operations()[0].inputs[1].axes, [EdgeAxis::Chip(0), label(0, 0), label(1, 2)]);
}

#[test]
fn a_denominator_is_never_stored() {
    let (v, e, f) = (tensor::<f64>(&[2, 3]), tensor(&[2]), tensor(&[3]));
    let (g, _) = graph(&(v.at("ia") / (e.at("i") - f.at("a"))), "ia");
    assert_eq!(operations(&g), ["map 3"]);
    // Under a sum: one pass computes and sums.
    let (g, _) = graph(&(v.at("ia") * v.at("ia") / (e.at("i") - f.at("a"))), "");
    assert_eq!(operations(&g), ["Sum of 3"]);
    // It joins the factor that has its labels, and the rest is a contraction.
    let w = tensor::<f64>(&[3, 5]);
    let (g, _) = graph(&(v.at("ia") * w.at("ab") / (e.at("i") - f.at("a"))), "ib");
    assert_eq!(operations(&g), ["map 3", "contract 2 by 1"]);
    let stored: usize = g.tensors().iter().filter(|t| t.producer.is_some()).map(|t| t.extents.iter().product::<usize>()).sum();
    assert_eq!(stored, 2 * 3 + 2 * 5);
}

#[test]
fn element_wise_work_is_one_pass() {
    let (a, b) = (tensor::<f64>(&[2, 3]), tensor(&[3, 2]));
    let sum = 2.0 * a.at("ij") - b.at("ji").exp() + Indexed::spread(0.5, "ij") * a.at("ij").powi(2);
    let (g, sources) = graph(&sum, "ij");
    assert_eq!((operations(&g), sources), (vec!["map 2".to_string()], 2));
    // Linear combinations under a sum are made once for each factor.
    let (g, _) = graph(&((2.0 * a.at("ij") - b.at("ji")) * b.at("jk")), "ik");
    assert_eq!(operations(&g), ["map 2", "contract 2 by 1"]);
    let (g, _) = graph(&a.at("ij").max("j"), "i");
    assert_eq!(operations(&g), ["Max of 1"]);
}

#[test]
fn conjugation_is_part_of_reading() {
    let z = tensor::<Complex<f64>>(&[2, 2]);
    let (g, _) = graph(&(z.at("ij").conj() * z.at("jk")), "ik");
    assert_eq!(operations(&g), ["contract 2 by 1"]);
    assert_eq!([g.operations()[0].inputs[0].conjugate, g.operations()[0].inputs[1].conjugate], [true, false]);
    // Of real numbers it is nothing at all.
    let a = tensor::<f64>(&[2, 2]);
    let (g, _) = graph(&(a.at("ij").conj().re() * a.at("jk")), "ik");
    assert_eq!(operations(&g), ["contract 2 by 1"]);
    assert!(g.operations()[0].inputs.iter().all(|edge| !edge.conjugate));
    // Alone it is work: nobody else would do it.
    let (g, _) = graph(&z.at("ij").conj(), "ij");
    let Operation::Map { program, .. } = &g.operations()[0].operation else { panic!("a map") };
    assert_eq!(program.instructions(), [Instruction::Input(0), Instruction::Apply(Unary::Conj, 0)]);
}

#[test]
fn what_is_shared_is_computed_once() {
    let a = tensor::<f64>(&[3, 3]);
    let square = (a.at("ik") * a.at("kj")).record("ij").unwrap();
    let fourth = (square.at("ik") * square.at("kj")).record("ij").unwrap();
    let trace = (square.at("ii") * fourth.at("jj")).record("").unwrap();
    let (g, sources) = graph_of(&[&square, &fourth, &trace, &square]);
    assert_eq!(operations(&g), ["contract 2 by 1"; 3]);
    assert_eq!((sources, g.sinks()[0]), (1, g.sinks()[3]));
    // A renamed result is the result itself; in another order it is not.
    let same = square.at("pq").record("pq").unwrap();
    let turned = square.at("pq").record("qp").unwrap();
    let (g, _) = graph_of(&[&square, &same, &turned]);
    assert_eq!(operations(&g), ["contract 2 by 1", "map 1"]);
    assert_eq!(g.sinks()[0], g.sinks()[1]);
    // A tensor is never its own result.
    let (g, _) = graph(&a.at("ij"), "ij");
    assert_eq!(operations(&g), ["map 1"]);
}

#[test]
fn views_of_one_memory_are_told_apart_by_their_layout() {
    let a = tensor::<f64>(&[3, 3]);
    let turned = a.view().permute(&[1, 0]).unwrap();
    let (again, whole) = (a.view(), a.view().slice(0, 0..2).unwrap());
    let (_, sources) = graph(&(a.at("ij") * again.at("ij")), "ij");
    assert_eq!(sources, 1);
    let (_, sources) = graph(&(a.at("ij") * turned.at("ij") * whole.at("k,i")), "ij");
    assert_eq!(sources, 3);
}

#[test]
fn sums_over_labels_that_no_factor_has() {
    let (a, b) = (tensor::<f64>(&[2]), tensor(&[5]));
    let (g, _) = graph(&(a.at("i") * Indexed::spread(3.0, "k") * (b.at("k") - b.at("k"))), "i");
    assert_eq!(operations(&g), ["map 1", "contract 2 by 3"]);
    // The extent of `k` is known from the parenthesis alone, and multiplies.
    let (g, _) = graph(&(a.at("i") * (b.at("k") + a.at("i")) * Indexed::spread(1.0, "k")), "i");
    assert_eq!(operations(&g), ["Sum of 2"]);
}

#[test]
fn a_sum_over_nothing_is_zero_whatever_stands_beside() {
    let (infinite, nothing) = (Tensor::<f64>::filled([2], f64::INFINITY).unwrap(), tensor::<f64>(&[0]));
    for right in [
        nothing.at("k") * infinite.at("j"),
        nothing.at("k") * nothing.at("l") * infinite.at("j"),
        infinite.at("j") * nothing.at("k") * Indexed::spread(2.0, "k"),
        (infinite.at("j") / nothing.at("k")).sum("k"),
        infinite.at("j").exp() * nothing.at("k") * infinite.at("l"),
    ] {
        for context in [crate::Context::cpu(), crate::Context::reference()] {
            assert_eq!(right.eval_in(&context, "j").unwrap().as_slice(), [0.0, 0.0]);
        }
    }
}

#[test]
fn a_diagonal_is_written_into_zeros() {
    let a = tensor::<f64>(&[3]);
    let (g, _) = graph(&a.at("i"), "ii");
    assert_eq!(operations(&g), ["map 1", "write 1"]);
    assert_eq!(g.tensor(g.sinks()[0]).extents, [3, 3]);
}

/// What a graph computes is an operand of later equations, also when it is of a graph that was recorded with others.
#[test]
fn a_graph_is_a_value_again() {
    let a = Tensor::<f64>::from_fn([3, 4], |i| (i[0] * 4 + i[1]) as f64).unwrap();
    let b = Tensor::<f64>::from_fn([4, 3], |i| (i[0] + 2 * i[1]) as f64).unwrap();
    let product: Expr<'_, f64> = (a.at("ik") * b.at("kj")).record("ij").unwrap();
    let twice = (product.at("ik") * product.at("kj") + product.at("ij")).record("ij").unwrap();
    let graph = twice.graph();
    let again = Expr::<f64>::from_graph(graph.clone(), &[&a, &b], 0).unwrap();
    assert_eq!(again.graph(), graph);
    assert_eq!(again.eval().unwrap(), twice.eval().unwrap());
    // With an equation before it and one behind it: the operations of all are in one graph.
    let sum = (a.at("ij") + b.at("ji")).record("ij").unwrap();
    let inner = Expr::<f64>::from_graph(graph.clone(), &[&sum, &b], 0).unwrap();
    let trace = inner.at("ii").record("").unwrap();
    let by_hand: Expr<'_, f64> = (sum.at("ik") * b.at("kj")).record("ij").unwrap();
    let by_hand = (by_hand.at("ik") * by_hand.at("kj") + by_hand.at("ij")).record("ij").unwrap();
    let by_hand = by_hand.at("ii").record("").unwrap();
    assert_eq!(trace.graph().operations().len(), graph.operations().len() + 2);
    assert_eq!(trace.eval().unwrap(), by_hand.eval().unwrap());
    let names = |graph: &OpGraph| graph.label_name(OperationId(1), 0).map(|(name, _)| name.to_string());
    assert_eq!(names(&trace.graph()), names(&by_hand.graph()));
}

#[test]
fn a_graph_that_wants_a_source_gives_a_copy_and_what_does_not_fit_is_refused() {
    let (a, wide) = (tensor::<f64>(&[2]), tensor::<f64>(&[3]));
    let mut same = OpGraph::new();
    let source = same.add_source(vec![2], Dtype::F64);
    same.add_sink(source);
    let copy = Expr::<f64>::from_graph(same.clone(), &[&a], 0).unwrap();
    assert_eq!((operations(&copy.graph()), copy.eval().unwrap()), (vec!["map 1".to_string()], a.clone()));
    let refused = |operands: &[&dyn crate::AnyOperand], output| {
        Expr::<f64>::from_graph(same.clone(), operands, output).unwrap_err().to_string()
    };
    assert_eq!(refused(&[&wide], 0), "source 0 of the graph has extents [2], and the operand for it has [3]");
    assert_eq!(refused(&[&a, &a], 0), "the graph has 1 source, but 2 operands are given");
    assert_eq!(refused(&[&a], 1), "the graph has 1 result, and number 1 was asked for");
    assert_eq!(refused(&[&tensor::<f32>(&[2])], 0), "elements are `f32` where `f64` is needed");
    let half = a.at("i").map(&|x: f64| x / 2.0).record("i").unwrap();
    let error = Expr::<f64>::from_graph(half.graph(), &[&a], 0).unwrap_err().to_string();
    assert!(error.contains("calls functions of the program's"), "{error}");
}

/// The operations of a recorded result for a device that finds places.
fn with_places(expr: &Expr<'_, f64>) -> Vec<&'static str> {
    let values = [Link::clone(expr.value())];
    let graph = lower_with_places(&values).graph;
    graph.verify().unwrap();
    assert!(lower(&values).graph.operations().iter().all(|node| node.operation.name() != "place"));
    graph.operations().iter().map(|node| node.operation.name()).collect()
}

#[test]
fn places_are_recognised_by_their_definition() {
    let a = Tensor::<f64>::from_fn([3, 4], |i| ((5 * i[0] + 3 * i[1]) % 7) as f64).unwrap();
    let w = Tensor::<f64>::from_fn([4], |i| 1.5 - i[0] as f64).unwrap();
    let recorded = |x: Indexed<'_, f64>, left: &str| -> Vec<&'static str> { with_places(&x.record(left).unwrap()) };
    assert_eq!(recorded(a.at("ij").argmax("j"), "i"), ["place"]);
    assert_eq!(recorded((a.at("ij") * w.at("j")).argmin("i"), "j"), ["place"]);
    // What is computed before is computed once, and the place joins what reads it.
    assert_eq!(recorded((a.at("ik") * a.at("jk")).sum("k").argmax("j") * 2.0, "i"), ["contract", "place", "map"]);
    // Reductions inside have labels of their own.
    assert_eq!(recorded((a.at("ij") * a.at("kj").max("k")).argmax("j"), "i"), ["map", "place"]);
    // The definition itself, and what is like it: other numbers in the place of the index, another bound, another body.
    let names: [(&str, &dyn crate::RecordOperand<f64>); 2] = [("a", &a), ("w", &w)];
    let written = |text: &str| {
        let read = if text.contains("w[") { &names[..] } else { &names[..1] };
        with_places(&crate::record(text, read).unwrap())
    };
    let place = |best: &str, of: &str, at: &str, none: &str| {
        written(&format!("[i] = min(k; select({of} == max(l; {best}) || {of} != {of}; {at}, {none}))"))
    };
    assert_eq!(place("a[i, l]", "a[i, k]", "iota[k]", "4.0"), ["place"]);
    for (best, of, at, none) in [
        ("a[i, l]", "a[i, k]", "w[k]", "4.0"),
        ("a[i, l]", "a[i, k]", "iota[k]", "3.0"),
        ("a[i, l] * w[l]", "a[i, k]", "iota[k]", "4.0"),
        ("w[l] * a[i, l]", "a[i, k] * w[k]", "iota[k]", "4.0"),
        ("sum(n; a[i, l] * w[n in 0..3])", "sum(m; a[i, k] * w[m in 0..2])", "iota[k]", "4.0"),
    ] {
        assert!(!place(best, of, at, none).contains(&"place"), "{best} {of} {at} {none}");
    }
}
