//! Linear algebra in the middle of plans, by a library's routines, which the simulator has its own of: results as on the processor,
//! explanations that name the library, and errors.

use std::path::PathBuf;
use std::sync::Arc;

use tensorwrapper::__private::cuda::{Collection, CompiledKernels, Route, Schedule, collecting, running};
use tensorwrapper::prelude::*;

use crate::is_there;
use crate::program::linalg;

/// Kernels of what `run` computes, compiled.
pub(crate) fn programs(name: &str, collection: &Collection, run: impl Fn(&Context)) -> Arc<CompiledKernels> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    run(&collecting(collection, Route::Library));
    let programs = collection.compile(&folder, str::to_string).unwrap_or_else(|error| panic!("{error}"));
    let _ = std::fs::remove_dir_all(&folder);
    programs
}

#[test]
fn decompositions_in_the_middle_of_plans() {
    if !is_there("simulated linear algebra", Collection::compiler()) {
        return;
    }
    let programs = programs("linear", &Collection::default(), |context| {
        // What is collected computes zeros, which agree with nothing.
        let _ = linalg::check(context, &Context::cpu());
    });
    let context = running(&programs, Schedule::Backward, Route::Library);
    let (passed, faults) = linalg::check(&context, &Context::cpu());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(passed, 4 * 19);
    assert!(programs.routines() > 4 * 6, "{} routines", programs.routines());
}

fn system(context: &Context, a: &Tensor<f64>, b: &Tensor<f64>) -> Result<Tensor<f64>, Error> {
    try_tensor! { in context; let s[i, j] = 2 * a[i, k] * a[k, j]; let x[j, n] = solve(s[i, j], b[i, n]); let y[i, n] = a[i, j] * x[j, n]; y }
        .map(Tensor::into_dyn)
}

#[test]
fn explanations_and_errors_of_the_library() {
    if !is_there("simulated systems", Collection::compiler()) {
        return;
    }
    let regular = Tensor::from_fn(&[5, 5], |i| if i[0] == i[1] { 4.0 } else { (i[0] + 2 * i[1]) as f64 / 7.0 }).expect("memory");
    let singular = Tensor::<f64>::filled([5, 5], 1.0).expect("memory");
    let b = Tensor::<f64>::from_fn(&[5, 3], |i| (i[0] * 3 + i[1]) as f64).expect("memory");
    let programs = programs("systems", &Collection::default(), |context| {
        let _ = system(context, &regular, &b);
    });
    let context = running(&programs, Schedule::Forward, Route::Library);
    let (found, expected) = (system(&context, &regular, &b), system(&Context::cpu(), &regular, &b));
    let (found, expected) = (found.expect("it has a solution"), expected.expect("it has a solution"));
    assert!(found.as_slice().iter().zip(expected.as_slice()).all(|(a, b)| (a - b).abs() <= 1e-11 * b.abs().max(1.0)));
    // Both operands go there once, the result comes back, and what the host reads to know that there is one.
    assert!(programs.transfers()[0] <= 8, "{:?}", programs.transfers());
    let [found, expected] = [&context, &Context::cpu()].map(|context| system(context, &singular, &b).unwrap_err().to_string());
    assert_eq!(found, expected);
    assert!(found.contains("singular"), "{found}");

    let explained = |context: &Context| {
        let graph = Graph::new();
        let (a, b) = (&regular, &b);
        let y = tensor! { in &graph; let s[i, j] = 2 * a[i, k] * a[k, j]; let x[j, n] = solve(s[i, j], b[i, n]); x };
        context.explain((&y,)).unwrap_or_else(|error| panic!("{error}"))
    };
    let by_library = explained(&context);
    let step = by_library.steps().iter().find(|step| step.library == Some("textbook"));
    assert!(step.is_some_and(|step| !step.on_host), "{by_library}");
    let by_host = explained(&collecting(&Collection::default(), Route::Chosen));
    assert!(by_host.steps().iter().any(|step| step.on_host && step.library.is_none()), "{by_host}");
}
