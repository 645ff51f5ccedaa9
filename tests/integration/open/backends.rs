//! A backend that compiles whole graphs computes what the reference computes, wherever a program may ask for it.

use tensorwrapper::prelude::*;
use tensorwrapper::{ErrorKind, Progress};

use super::toy::Compiler;

fn matrix(rows: usize, columns: usize) -> Tensor<f64> {
    Tensor::from_fn([rows, columns], |at| (3 * at[0] + at[1]) as f64 - 4.0).expect("a small matrix")
}

#[test]
fn whole_graphs_are_compiled_once_and_run_often() {
    let toy = Compiler::default();
    let context = Context::on(toy.clone());
    let (a, b, c) = (matrix(2, 3), matrix(3, 4), matrix(4, 2));
    let expected = Context::reference().einsum("ij,jk,kl->il", &[&a, &b, &c]).unwrap();
    for _ in 0..3 {
        assert_eq!(context.einsum("ij,jk,kl->il", &[&a, &b, &c]).unwrap(), expected);
        assert_eq!(try_tensor!(in &context; [i, l] = a[i, j] * b[j, k] * c[k, l]).unwrap(), expected);
    }
    // Subscripts and the equation each once; two of the three runs of the equation are of one place, which the loop is.
    assert_eq!(toy.counts(), (2, 6));
}

#[test]
fn several_results_views_and_targets() {
    let toy = Compiler::default();
    let context = Context::on(toy.clone());
    let (a, b) = (matrix(3, 3), matrix(3, 3));
    let square = (a.at("ik") * b.at("kj")).record("ij").unwrap();
    let cube = (square.at("ik") * a.at("kj")).record("ij").unwrap();
    let found = context.eval_all((&square, &cube, &square)).unwrap();
    assert_eq!(found, Context::reference().eval_all((&square, &cube, &square)).unwrap());
    // Views begin anywhere and step anyhow.
    let view = a.view().slice(0, 1..3).unwrap().permute(&[1, 0]).unwrap();
    let product = context.prepare("ik,ij->kj", &[&view, &b]).unwrap();
    let expected = Context::reference().einsum("ik,ij->kj", &[&view, &b]).unwrap();
    let mut target = Tensor::<f64>::zeros([2, 3]).unwrap();
    product.run_into(&[&view, &b], &mut target).unwrap();
    assert_eq!((product.run(&[&view, &b]).unwrap(), target), (expected.clone(), expected));
    let (compiled, runs) = toy.counts();
    assert_eq!((compiled, runs), (2, 3));
}

#[test]
fn graphs_that_are_not_compiled_run_on_the_device() {
    let toy = Compiler::default();
    let context = Context::on(toy.clone());
    let a = matrix(2, 2);
    let found = a.at("ij").exp().eval_in(&context, "ij").unwrap();
    assert_eq!(found, a.at("ij").exp().eval_in(&Context::reference(), "ij").unwrap());
    let twice = |x: f64| 2.0 * x;
    assert_eq!(try_tensor!(in &context; [i, j] = map(twice; a[i, j])).unwrap()[[0, 0]], -8.0);
    assert_eq!(toy.counts(), (0, 0));
    assert_eq!(context.device_name(), "reference");
}

#[test]
fn errors_limits_and_progress_of_compiled_graphs() {
    let a = matrix(2, 2);
    let broken = Context::on(Compiler { fails: true, ..Compiler::default() });
    assert_eq!(broken.einsum("ij,jk->ik", &[&a, &a]).unwrap_err().to_string(), "the toy is broken");

    let greedy = Context::on(Compiler { work_space: 1000, ..Compiler::default() }).memory_limit(500);
    let error = greedy.einsum("ij,jk->ik", &[&a, &a]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Limit { needed: 1032, allowed: 500, .. }), "{error}");

    let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let steps = std::sync::Arc::clone(&seen);
    let observed = Context::on(Compiler::default()).progress(move |progress: Progress| {
        steps.lock().unwrap().push((progress.step, progress.steps));
        std::ops::ControlFlow::Continue(())
    });
    observed.einsum("ij,jk,kl->il", &[&a, &a, &a]).unwrap();
    // A graph that is compiled as a whole is one step.
    assert_eq!(*seen.lock().unwrap(), [(0, 1), (1, 1)]);
}

#[test]
fn compiled_graphs_are_explained() {
    let context = Context::on(Compiler { work_space: 100, ..Compiler::default() });
    let a = matrix(2, 2);
    let explanation = context.prepare("ij,jk,kl->il", &[&a, &a, &a]).unwrap().explain();
    assert_eq!(explanation.steps().len(), 2);
    assert_eq!(explanation.peak_bytes(), 4 * 8 + 100);
    let measured = context.prepare("ij,jk,kl->il", &[&a, &a, &a]).unwrap().measure(&[&a, &a, &a], 2).unwrap();
    assert!(measured.html().contains("matmul") && !measured.to_string().is_empty());
}
