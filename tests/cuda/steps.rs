//! Plans of several steps have everything made that these need, by asking once, before the first of them runs; what does not compile is an
//! error then, and nothing has happened. In simulated devices, which count what they are asked for.

use tensorwrapper::__private::cuda::{Collection, KernelRequests, Route, collecting};
use tensorwrapper::prelude::*;
use tensorwrapper::{ErrorKind, Order};

use crate::placed::{device, matrix};

/// What a device that only collects is asked for by some work.
fn asked(collection: &Collection, work: impl FnOnce()) -> KernelRequests {
    let before = collection.asked();
    work();
    let after = collection.asked();
    KernelRequests {
        to_make: after.to_make - before.to_make,
        to_launch: after.to_launch - before.to_launch,
        too_late: after.too_late - before.too_late,
    }
}

/// So many launches at least, of kernels that were made by asking once.
fn assert_once(asked: KernelRequests, least: usize, what: &str) {
    assert_eq!((asked.to_make, asked.too_late), (1, 0), "{what}: {asked:?}");
    assert!(asked.to_launch >= least, "{what}: {asked:?}");
}

/// So many launches at least, of kernels that were made before.
fn assert_made(asked: KernelRequests, least: usize, what: &str) {
    assert_eq!((asked.to_make, asked.too_late), (0, 0), "{what}: {asked:?}");
    assert!(asked.to_launch >= least, "{what}: {asked:?}");
}

/// Products, what is computed with them, reductions, factors of a library's, and a part that is written.
fn mixed(context: &Context) -> Result<Tensor<f64>, Error> {
    let (a, b, c, mut x) = (matrix(1), matrix(2), matrix(3), matrix(4));
    try_tensor! { in context;
        let y[i, l] = exp(sum(j, k; a[i, j] * b[j, k] * c[k, l]) / 40);
        let (q[i, r], t[r, l]) = qr(y[i, l]);
        let s[i] = max(l; q[i, l] - y[l, i]);
        x[i, m] = sin(sum(l; y[i, l] * c[l, m])) + s[i] * 1[m];
        x[i, 0] = s[i];
    }?;
    Ok(x)
}

#[test]
fn plans_of_several_steps_request_kernels_once() {
    let (collection, text) = (Collection::default(), "ij,jk,kl,lm->im");
    for route in [Route::Chosen, Route::Library] {
        assert_once(asked(&collection, || drop(mixed(&collecting(&collection, route)).unwrap())), 4, "a block");
    }
    let operands = [1, 2, 3, 4].map(matrix);
    let [a, b, c, d] = &operands;
    let context = collecting(&collection, Route::Chosen);
    assert_once(asked(&collection, || drop(context.einsum(text, &[a, b, c, d]).unwrap())), 3, "subscripts");
    // Whoever prepares waits for the compiler, and no run does, nor the one that records.
    let context = collecting(&collection, Route::Chosen).order(Order::AsWritten);
    let mut prepared = None;
    assert_once(asked(&collection, || prepared = context.prepare::<f64>(text, &[a, b, c, d]).ok()), 0, "a prepared plan");
    let prepared = prepared.expect("it is planned");
    for run in 1..=4 {
        let runs = asked(&collection, || drop(prepared.run(&[a, b, c, d]).unwrap()));
        assert_made(runs, if run < 4 { 3 } else { 0 }, "a run");
    }
}

#[test]
fn blocks_and_explanations_request_kernels_once() {
    let collection = Collection::default();
    let (a, b, x) = (matrix(1), matrix(2), matrix(3));
    let graph = Graph::new();
    let next = tensor! { in &graph;
        let y[i, k] = exp(sum(j; a[i, j] * b[j, k]) / 40);
        let z[i, l] = sin(sum(k; y[i, k] * x[k, l]));
        let s[i] = max(l; z[i, l]); s
    };
    let explained = asked(&collection, || drop(collecting(&collection, Route::Chosen).explain((&next,)).unwrap()));
    assert_once(explained, 0, "an explanation");
    assert_eq!(explained.to_launch, 0, "nothing is computed");
    // What is kept is computed at once, and the kernels of the runs to come are made with those of that.
    let mut block = None;
    let prepared = asked(&collection, || block = collecting(&collection, Route::Chosen).prepare_all((&next,), &[&x]).ok());
    assert_once(prepared, 1, "a prepared block");
    let block = block.expect("it is planned");
    assert!(block.kept_bytes() > 0);
    for _ in 0..4 {
        assert_made(asked(&collection, || drop(block.run(&[&matrix(4)]).unwrap())), 0, "a run of a block");
    }
}

/// All ways of all products are made together, with the kernels of other steps; then they are measured.
#[test]
fn products_are_measured_after_all_kernels_are_made() {
    let collection = Collection::default();
    collection.set_clock(Some([3.0, 3.0, 2.0, 1.0]));
    let t = Tensor::<f64>::filled([3, 4, 5, 6], 1.0).expect("memory for a few numbers");
    let u = Tensor::<f64>::filled([7, 6, 2, 4], 1.0).expect("memory for a few numbers");
    let v = Tensor::<f64>::filled([5, 2, 3, 7], 1.0).expect("memory for a few numbers");
    let graph = Graph::new();
    let next = tensor! { in &graph;
        let y[a, b, c, d] = exp(sum(e, f; t[a, e, b, f] * u[d, f, c, e]) / 50);
        let z[b, x] = sin(sum(a, c, d; y[a, b, c, d] * v[x, c, a, d]));
        let s[b] = max(x; z[b, x]); s
    };
    let context = collecting(&collection, Route::Library);
    let explained = asked(&collection, || {
        let explanation = context.explain((&next,)).unwrap();
        assert_eq!(explanation.steps().iter().filter(|step| step.is_measured).count(), 2, "{explanation}");
    });
    assert_once(explained, 4, "measured products");
}

/// A plan that may not be is not compiled.
#[test]
fn no_kernels_are_made_for_plans_beyond_the_limit() {
    let (collection, a) = (Collection::default(), matrix(1));
    let context = collecting(&collection, Route::Chosen).memory_limit(100);
    let refused = asked(&collection, || {
        let error = context.einsum("ij,jk,kl->il", &[&a, &a, &a]).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Limit { .. }), "{error}");
    });
    assert_eq!(refused, KernelRequests::default());
}

#[test]
fn compile_error_is_reported_before_anything_runs() {
    let (programs, gpu) = device("broken");
    // The last step alone, behind a library's product.
    programs.break_kernels("reduction by threads");
    let (a, mut target) = (matrix(1), Tensor::<f64>::filled([5], 7.0).expect("memory"));
    let is_told = |error: Option<Error>| match error.as_ref().map(Error::kind) {
        Some(ErrorKind::Kernel { message, source }) => {
            assert!(message.contains("breaks this kind of kernel") && source.contains("__global__"), "{source}");
        }
        other => panic!("{other:?}"),
    };
    is_told(try_tensor!(in &gpu; target[i] = max(k; sum(j; a[i, j] * a[j, k]) + a[k, i]);).err());
    assert_eq!(target.as_slice(), [7.0; 5]);
    let graph = Graph::new();
    let largest = tensor!(in &graph; let x[i] = max(k; sum(j; a[i, j] * a[j, k]) + a[k, i]); x);
    is_told(gpu.eval_all((&largest,)).err());
    is_told(gpu.explain((&largest,)).err());
    is_told(gpu.prepare_all((&largest,), &[&a]).err());
    // A limit of memory looks for other plans where one takes too much, and not where one does not compile.
    let limited = gpu.clone().memory_limit(1 << 20);
    is_told(limited.eval_all((&largest,)).err());
    assert_eq!((programs.products(), programs.transfers(), programs.asked().to_launch), (0, [0, 0], 0));
    // What needs no such kernel is computed as ever.
    assert_eq!(gpu.einsum("ij,jk->ik", &[&a, &a]).unwrap(), Context::cpu().einsum("ij,jk->ik", &[&a, &a]).unwrap());
    assert_eq!(programs.products(), 1);
}
