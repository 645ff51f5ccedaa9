//! What `examples/gpu_check` compares, with the reference in the device's place: its checks pass where a device is right, and fail
//! where one is not.

use tensorwrapper::prelude::*;

use crate::equations::cases;

#[path = "../../examples/gpu_check/again.rs"]
mod again;
#[allow(dead_code)]
#[path = "../../examples/bench_einsum/main.rs"]
mod bench_einsum;
#[allow(dead_code)]
#[path = "../../examples/ccsd/main.rs"]
mod ccsd;
#[allow(dead_code)]
#[path = "../../examples/gpu_check/first.rs"]
mod first;
#[path = "../../examples/ccsd_naive/ladder.rs"]
mod ladder;
#[path = "../../examples/gpu_check/linalg.rs"]
pub(crate) mod linalg;
#[allow(dead_code)]
#[path = "../../examples/gpu_check/pool.rs"]
pub(crate) mod pool;
#[path = "../../examples/gpu_check/stay.rs"]
mod stay;
#[path = "../../examples/gpu_check/water.rs"]
mod water;

use tensorwrapper::__private::cuda::{Collection, Route, Schedule, collecting, running};

#[test]
fn checks_pass_on_a_correct_device() {
    let (passed, faults) = linalg::check(&Context::reference(), &Context::cpu());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(passed, 4 * 19);
    let steps = water::check(&Context::reference(), &Context::cpu());
    assert!(steps.as_ref().is_ok_and(|sentence| sentence.contains("5 steps of CCSD agree")), "{steps:?}");
}

#[test]
fn replayed_plans_pass_on_a_correct_device() {
    let (_, gpu) = crate::placed::device("again-and-again");
    let told = again::check(&gpu, &Context::cpu());
    assert!(
        told.as_ref().is_ok_and(|sentence| sentence.contains("50 products of matrices agree, replayed as one: yes")),
        "{told:?}"
    );
    let without = again::check(&Context::reference(), &Context::cpu()).expect_err("it has no memory of its own");
    assert!(without.contains("computes in the host's memory"), "{without}");
}

/// A device that computes nothing gives zeros.
#[test]
fn checks_fail_on_a_wrong_device() {
    let zeros = collecting(&Collection::default(), Route::Chosen);
    let (passed, faults) = linalg::check(&zeros, &Context::cpu());
    assert!(passed < 4 && faults.len() >= 4, "{passed} passed, {faults:?}");
    assert!(water::check(&zeros, &Context::cpu()).is_err_and(|sentence| sentence.contains("apart")));
    assert!(again::check(&zeros, &Context::cpu()).is_err_and(|sentence| sentence.contains("run 1 of a product of 51")));
}

/// Lines are answered alike wherever results are; where they stay on the device, nothing but what is checked comes to the host.
#[test]
fn served_results_stay_on_the_device() {
    let (programs, gpu) = crate::placed::device("lines");
    let lines = "ab,bc->ca f64 3x4 4x5\nab,bc->ca f64 3x4 4x5\nab,bc->ca f64 3x4 4x5\nab,zz f64 3x4 4x5\nab,cb->ac c64 3x4 5x4\n";
    let answers = |serve: &dyn Fn(&mut Vec<u8>)| -> Vec<Vec<String>> {
        let mut told = Vec::new();
        serve(&mut told);
        let told = String::from_utf8(told).expect("answers are text");
        told.lines().skip(1).map(|line| line.split_whitespace().map(String::from).collect()).collect()
    };
    let expected = answers(&|told| bench_einsum::serve(&Context::cpu(), lines.as_bytes(), told).expect("memory takes all"));
    let there = gpu.on_device().expect("it has memory");
    let found = answers(&|told| bench_einsum::serve(&there, lines.as_bytes(), told).expect("memory takes all"));
    assert_eq!((found.len(), expected.len()), (5, 5));
    for (n, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let number = |text: &String| text.parse::<f64>().unwrap_or_else(|_| panic!("`{text}` is no number in answer {n}"));
        if n == 3 {
            assert_eq!((&found[0], found), (&"error".to_string(), expected));
            continue;
        }
        // Times are as they are; sums are of the same numbers.
        assert!(number(&found[0]) > 0.0, "{found:?}");
        for (a, b) in found[2..].iter().zip(&expected[2..]) {
            assert!((number(a) - number(b)).abs() <= 1e-12 * number(&expected[3]), "{found:?} instead of {expected:?}");
        }
    }
    assert_eq!(programs.transfers()[1], 2, "one result of each line that has one is looked at");
}

/// What `gpu_check --figures` takes the time of computes what it says.
#[test]
fn first_calls_have_the_expected_results() {
    if !crate::is_there("first calls", Collection::compiler()) {
        return;
    }
    const N: usize = 6;
    let programs = crate::linear::programs("first-calls", &Collection::default(), |context| {
        let device = context.on_device().expect("it has memory");
        first::ALL
            .iter()
            .for_each(|first| drop((first.call)(&device, N).unwrap_or_else(|error| panic!("{}: {error}", first.name))));
    });
    let device = running(&programs, Schedule::Forward, Route::Library).on_device().expect("it has memory");
    let cpu = Context::cpu();
    for first in &first::ALL {
        let first::Called { operands, result, .. } =
            (first.call)(&device, N).unwrap_or_else(|error| panic!("{}: {error}", first.name));
        let expected = match (first.name, &operands[..]) {
            ("contraction", [a, b]) => cpu.einsum("aebf,dfce->abcd", &[a, b]),
            ("element_wise", [a, b, c]) => {
                Tensor::from_fn(&[N, N], |i| a[[i[0], i[1]]].exp() * b[[i[1], i[0]]] - 2.0 * c[[i[0], i[1]]].sin())
            }
            ("permutation", [a]) => Tensor::from_fn(&[N; 4], |i| a[[i[3], i[2], i[1], i[0]]]),
            ("cholesky", [s]) => try_tensor! { in &cpu; let l[i, r] = cholesky(i, j; s[i, j]); l }.map(Tensor::into_dyn),
            (name, operands) => panic!("`{name}` of {} operands", operands.len()),
        };
        let expected = expected.unwrap_or_else(|error| panic!("{}: {error}", first.name));
        assert_eq!(result.extents(), expected.extents(), "{}", first.name);
        let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * (1.0 + b.abs());
        assert!(result.as_slice().iter().zip(expected.as_slice()).all(close), "{}: {result:?}", first.name);
    }
}
