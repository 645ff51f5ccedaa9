//! The kernels in the simulator against the `cpu` backend.

use std::path::PathBuf;

use num_complex::Complex;
use tensorwrapper::__private::cuda::{Collection, Schedule};
use tensorwrapper::Context;

use crate::{ROUTES, collected, equations, is_there};

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
    let collection = collected();
    let programs = collection.compile(&folder, str::to_string).unwrap_or_else(|error| panic!("{error}"));
    let mut expected = Vec::new();
    equations::all(&Context::cpu(), &mut |name, result| expected.push((name.to_string(), result)));
    let values = expected.iter().filter(|(_, result)| result.is_ok()).count();
    assert!(values > 250, "{values} equations with a value: {:?}", expected.iter().find(|(_, result)| result.is_err()));
    for schedule in Schedule::ALL {
        for route in ROUTES {
            let mut faults = Vec::new();
            let mut number = 0;
            equations::all(&programs.context(schedule, route), &mut |name, found| {
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
    println!("{values} equations of {} kernels in {} schedules", collection.kernels().len(), Schedule::ALL.len());
    let _ = std::fs::remove_dir_all(&folder);
}
