//! The kernels in the simulator against the `cpu` backend.

use std::path::PathBuf;

use num_complex::Complex;
use tensorwrapper::__private::cuda::{Collection, Route, Schedule, collecting, running};
use tensorwrapper::prelude::*;

use crate::{equations, is_there};

/// By choice, as larger shapes would go, and with a library for products of matrices.
const ROUTES: [Route; 4] = [Route::Chosen, Route::LargeTiles, Route::SmallTiles, Route::Library];

/// Where the two may differ: by rounding of sums in another order.
fn is_close(name: &str, found: &[Complex<f64>], expected: &[Complex<f64>]) -> bool {
    let single = name.starts_with("f32") || name.starts_with("Complex<f32>");
    let tolerance = if single { 2e-4 } else { 1e-11 };
    let close = |(a, b): (&Complex<f64>, &Complex<f64>)| (a - b).norm() <= tolerance * (1.0 + b.norm());
    found.len() == expected.len() && found.iter().zip(expected).all(close)
}

#[test]
fn equations_in_three_schedules() {
    if !is_there("simulated kernels", Collection::compiler()) {
        return;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("simulated");
    let collection = Collection::default();
    for route in ROUTES {
        equations::all(&collecting(&collection, route), &mut |_, _| {});
    }
    let programs = collection.compile(&folder, str::to_string).unwrap_or_else(|error| panic!("{error}"));
    let mut expected = Vec::new();
    equations::all(&Context::cpu(), &mut |name, result| expected.push((name.to_string(), result)));
    for (name, result) in &expected {
        assert!(result.is_ok(), "{name}: {result:?}");
    }
    let values = expected.len();
    assert!(values > 300, "{values} equations");
    for schedule in Schedule::ALL {
        for route in ROUTES {
            let mut faults = Vec::new();
            let mut number = 0;
            equations::all(&running(&programs, schedule, route), &mut |name, found| {
                let (known, wanted) = &expected[number];
                number += 1;
                assert_eq!(name, known);
                match (&found, wanted) {
                    (Ok(found), Ok(wanted)) if is_close(name, found, wanted) => (),
                    (Err(found), Err(wanted)) if found == wanted => (),
                    _ => faults.push(format!("{name}: {found:?} instead of {wanted:?}")),
                }
            });
            assert_eq!(number, expected.len());
            assert!(faults.is_empty(), "{schedule:?}, {route:?}: {} faults\n{}", faults.len(), faults.join("\n"));
        }
    }
    let products = programs.products() / Schedule::ALL.len();
    assert!(products > 150, "{products} products of matrices were left to a library");
    println!(
        "{values} equations of {} kernels in {} schedules, {products} products left to a library",
        collection.kernels().len(),
        Schedule::ALL.len()
    );
    let _ = std::fs::remove_dir_all(&folder);
}

/// Operands go to the device once and results come back once, however many steps there are; what the host computes between is
/// fetched and taken back.
#[test]
fn intermediates_stay_on_the_device() {
    if !is_there("transfers of simulated kernels", Collection::compiler()) {
        return;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("transfers");
    let matrix =
        |seed: f64| Tensor::<f64, _>::from_fn([6, 6], |index| seed + (index[0] * index[1]) as f64 / 7.0).expect("memory");
    let (a, b, c, d) = (matrix(0.1), matrix(0.2), matrix(0.3), matrix(0.4));
    let chain = |context: &Context| tensor!(in context; let y[i, l] = exp(sum(j, k; a[i, j] * b[j, k] * c[k, l])) / 40; let x[i, m] = y[i, l] * d[l, m] + y[i, m]; x);
    let by_host = |context: &Context| tensor!(in context; let y[i, k] = a[i, j] * b[j, k] / 9; let x[i, k] = map(|v: f64| v.max(0.5); y[i, k]) * c[i, k]; x);
    let collection = Collection::default();
    let _ = (chain(&collecting(&collection, Route::Chosen)), by_host(&collecting(&collection, Route::Chosen)));
    let programs = collection.compile(&folder, str::to_string).unwrap_or_else(|error| panic!("{error}"));
    let context = running(&programs, Schedule::Forward, Route::Chosen);
    let (found, expected) = (chain(&context), chain(&Context::cpu()));
    assert!(found.as_slice().iter().zip(expected.as_slice()).all(|(a, b)| (a - b).abs() <= 1e-12 * b.abs().max(1.0)));
    assert_eq!(programs.transfers(), [4, 1]);
    let (found, expected) = (by_host(&context), by_host(&Context::cpu()));
    assert!(found.as_slice().iter().zip(expected.as_slice()).all(|(a, b)| (a - b).abs() <= 1e-12 * b.abs().max(1.0)));
    let [there, back] = programs.transfers();
    assert!(there > 4 + 3 && back > 2, "{there} transfers there and {back} back");
    let _ = std::fs::remove_dir_all(&folder);
}

/// Where there is a library for products of matrices, explanations say which steps it computes; where there is none, generated
/// kernels do.
#[test]
fn explanations_name_the_library() {
    let matrix = Tensor::<f64>::filled([6, 6], 1.0).expect("memory for a few numbers");
    let explained = |route: Route| {
        let context = collecting(&Collection::default(), route);
        let prepared = context.prepare("ij,jk,kl->il", &[&matrix, &matrix, &matrix]).unwrap_or_else(|error| panic!("{error}"));
        prepared.explain()
    };
    let by_library = explained(Route::Library);
    assert!(by_library.steps().iter().all(|step| step.library == Some("loops")), "{by_library}");
    assert!(by_library.to_string().contains("matmul by loops"), "{by_library}");
    let generated = explained(Route::Chosen);
    assert!(generated.steps().iter().all(|step| step.library.is_none()), "{generated}");
}
