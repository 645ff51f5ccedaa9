//! Linear algebra in the middle of plans, by a library's routines, which the simulator has its own of: results as on the processor,
//! explanations that name the library, and errors.

use std::path::PathBuf;
use std::sync::Arc;

use tensorwrapper::__private::cuda::{Collection, CompiledKernels, Route, Schedule, collecting, running};
use tensorwrapper::prelude::*;
use tensorwrapper::{Blocks, Structure, Tiling};

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

/// Linear algebra over block tensors: a sector is a matrix, which the library factorises where it has the operation.
#[test]
fn sectors_by_the_library() {
    if !is_there("simulated sectors", Collection::compiler()) {
        return;
    }
    let spin = Tiling::cuts([3, 2, 4]).charged([-1, 0, 1]).expect("a charge for each tile");
    let structure = Structure::new([&spin, &spin]).flow([1, -1], [0]).expect("all axes have charges");
    let number = |i: &[usize]| if i[0] == i[1] { 5.0 } else { ((i[0] * 5 + i[1] * 3) as f64).sin() };
    let a = Blocks::<f64>::from_fn(&structure, number).expect("memory");
    // What results say, whichever signs their vectors have.
    let told = |context: &Context| -> Result<Vec<Tensor<f64>>, Error> {
        let (u, s, v) = context.svd_blocks(&a, [0])?;
        let (q, r) = context.qr_blocks(&a, [0])?;
        let symmetric = context.eval_blocks("[i, k] = A[i, j] * conj(A[k, j])", &[("A", &a)])?;
        let (values, vectors) = context.eigh_blocks(&symmetric, [0])?;
        let products = [
            context.einsum_blocks("ir,r,rj->ij", &[&u, &s, &v])?,
            context.einsum_blocks("ir,rj->ij", &[&q, &r])?,
            context.eval_blocks("[i, j] = V[i, r] * w[r] * conj(V[j, r])", &[("V", &vectors), ("w", &values)])?,
            context.inv_blocks(&a, [0])?,
            context.solve_blocks(&a, [0], &symmetric)?,
            context.cholesky_blocks(&symmetric, [0])?,
            context.expm_blocks(&a, [0])?,
        ];
        let dense = products.iter().map(Blocks::to_dense).collect::<Result<Vec<_>, _>>()?;
        Ok([vec![s.to_dense()?, values.to_dense()?], dense].concat())
    };
    let programs = programs("sectors", &Collection::default(), |context| {
        let _ = told(context);
    });
    let expected = told(&Context::cpu()).expect("the matrix is regular");
    let context = running(&programs, Schedule::Forward, Route::Library);
    let found = told(&context).expect("the matrix is regular");
    assert_eq!(found.len(), 9);
    for (found, expected) in found.iter().zip(&expected) {
        found.allclose(expected, 1e-11, 1e-11).unwrap_or_else(|error| panic!("{error}"));
    }
    assert!(programs.routines() > 3 * 5, "{} routines", programs.routines());
    let explained = |context: &Context| context.explain_sectors(&a, [0]).expect("a matrix");
    let (by_library, by_host) = (explained(&context), explained(&collecting(&Collection::default(), Route::Chosen)));
    for text in [&by_library, &by_host] {
        assert!(text.starts_with("a matrix of 9 rows and 9 columns in 3 sectors, 29 of 81 elements\n"), "{text}");
        assert!(text.contains("\nexpm: on the host\n"), "{text}");
    }
    assert!(by_library.contains("\nsvd: by `textbook` on `simulator`\n"), "{by_library}");
    assert!(by_host.contains("\nsvd: on the host\n") && by_host.contains("\nsolve: on the host\n"), "{by_host}");
}
