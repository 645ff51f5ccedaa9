//! Passes of the program's own: what they may do, and what is refused by their name.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use num_complex::Complex;
use tensorwrapper::graph::{Edge, OpGraph, Operation, Rewrite, TensorId};
use tensorwrapper::prelude::*;
use tensorwrapper::{Dtype, ErrorKind};

type Make = fn(&OpGraph) -> Result<Option<OpGraph>, Error>;

/// A pass of these words, and how often it was asked.
#[derive(Debug)]
struct Pass {
    name: &'static str,
    make: Make,
    asked: Arc<AtomicUsize>,
}

impl Rewrite for Pass {
    fn name(&self) -> &str {
        self.name
    }

    fn rewrite(&self, graph: &OpGraph) -> Result<Option<OpGraph>, Error> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        (self.make)(graph)
    }
}

fn pass(name: &'static str, make: Make) -> Pass {
    Pass { name, make, asked: Arc::default() }
}

/// A graph over so many square matrices that wants a product of the first two, its labels these.
fn product(sources: usize, dtype: Dtype, kept: &[usize]) -> OpGraph {
    let mut graph = OpGraph::new();
    let tensors: Vec<TensorId> = (0..sources).map(|_| graph.add_source(vec![2, 2], dtype)).collect();
    let operation = Operation::Contract { alpha: Complex::from(1.0), then: None };
    let inputs = vec![Edge::whole(tensors[0], &[0, 2]), Edge::whole(tensors[tensors.len() - 1], &[2, 1])];
    let made = graph.add_operation(operation, inputs, &[(kept, dtype)], vec![2, 2, 2]);
    graph.add_sink(made[0]);
    graph
}

fn square(context: &Context) -> Result<Tensor<f64>, Error> {
    let (a, b) = (Tensor::<f64>::filled([2, 2], 1.0)?, Tensor::<f64>::filled([2, 2], 2.0)?);
    context.einsum("ij,jk->ik", &[&a, &b])
}

#[test]
fn wrong_passes_are_refused_by_name() {
    let fails: [(Pass, &str); 7] = [
        (pass("lost sources", |_| Ok(Some(product(1, Dtype::F64, &[0, 1])))), "its graph has 1 source instead of 2"),
        (pass("more sources", |_| Ok(Some(product(3, Dtype::F64, &[0, 1])))), "its graph has 3 sources instead of 2"),
        (
            pass("a trace", |_| Ok(Some(product(2, Dtype::F64, &[0])))),
            "number 0 of the results of its graph is f64 of extents [2] instead of f64 of extents [2, 2]",
        ),
        (
            pass("rounding", |_| Ok(Some(product(2, Dtype::F32, &[0, 1])))),
            "number 0 of the sources of its graph is f32 of extents [2, 2] instead of f64 of extents [2, 2]",
        ),
        (
            pass("nothing", |graph| {
                let mut made = graph.clone();
                made.add_sink(graph.sinks()[0]);
                Ok(Some(made))
            }),
            "its graph has 2 results instead of 1",
        ),
        (
            pass("nonsense", |graph| {
                let mut made = graph.clone();
                let operation = Operation::Contract { alpha: Complex::from(1.0), then: None };
                made.add_operation(operation, vec![Edge::whole(TensorId(99), &[0])], &[(&[0], Dtype::F64)], vec![2]);
                Ok(Some(made))
            }),
            "operation 1 of the graph: reads tensor 99, which does not exist",
        ),
        (
            pass("helpless", |_| Err(Error::new(ErrorKind::Unsupported("no such product is known".to_string())))),
            "no such product is known",
        ),
    ];
    for (pass, expected) in fails {
        let name = pass.name;
        let error = square(&Context::cpu().with_pass(pass)).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Pass { name: found, .. } if found == name), "{error}");
        assert_eq!(error.to_string(), format!("the pass `{name}`: {expected}"));
    }
}

#[test]
fn passes_see_each_new_graph_once_as_it_is_recorded() {
    let seen = pass("look", |graph| {
        assert!(graph.operations().len() < 3, "products of many factors are one operation before our passes");
        Ok(None)
    });
    let asked = Arc::clone(&seen.asked);
    let context = Context::cpu().with_pass(seen);
    let a = Tensor::<f64>::filled([2, 2], 1.0).unwrap();
    for _ in 0..3 {
        assert_eq!(context.einsum("ij,jk,kl,lm->im", &[&a, &a, &a, &a]).unwrap()[[0, 0]], 8.0);
    }
    assert_eq!(asked.load(Ordering::Relaxed), 1);
    let product = context.prepare("ij,jk->ik", &[&a, &a]).unwrap();
    (0..3).for_each(|_| drop(product.run(&[&a, &a]).unwrap()));
    assert_eq!(asked.load(Ordering::Relaxed), 2);
    let next = (a.at("ij") * a.at("jk")).record("ik").unwrap();
    let block = context.prepare_all((&next,), &[&a]).unwrap();
    assert_eq!(block.run(&[&a]).unwrap().0, product.run(&[&a, &a]).unwrap());
    assert_eq!(asked.load(Ordering::Relaxed), 3);
}

#[test]
fn a_pass_may_leave_nothing_to_compute() {
    // A pass that knows that the second factor is the identity: what is wanted is the source.
    let context = Context::cpu().with_pass(pass("identity", |graph| {
        let mut made = OpGraph::new();
        let sources: Vec<TensorId> =
            graph.sources().map(|s| made.add_source(graph.tensor(s).extents.clone(), graph.tensor(s).dtype)).collect();
        made.add_sink(sources[0]);
        Ok(Some(made))
    }));
    let a = Tensor::<f64>::from_fn([2, 2], |at| (2 * at[0] + at[1]) as f64).unwrap();
    let one = Tensor::<f64>::from_fn([2, 2], |at| f64::from(u8::from(at[0] == at[1]))).unwrap();
    assert_eq!(context.einsum("ij,jk->ik", &[&a, &one]).unwrap(), a);
    let found = try_tensor!(in &context; [i, k] = a[i, j] * one[j, k]).unwrap();
    assert_eq!(found, a);
    // The library's own passes make the best of what it leaves.
    let recorded = (a.at("ij") * one.at("jk")).record("ik").unwrap();
    let graph = context.optimized_graph_of((&recorded,)).unwrap();
    assert!(graph.operations().iter().all(|node| matches!(node.operation, Operation::Map { .. })));
}

#[test]
fn passes_keep_functions_of_the_program() {
    let a = Tensor::<f64>::filled([2], 3.0).unwrap();
    let context = Context::cpu().with_pass(pass("nothing to do", |_| Ok(None)));
    let twice = |x: f64| 2.0 * x;
    assert_eq!(try_tensor!(in &context; [i] = map(twice; a[i])).unwrap().as_slice(), [6.0; 2]);
}
