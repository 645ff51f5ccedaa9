//! The choice between a library's products, the same behind copies, and generated kernels, by measurements that the tests make up.

use std::path::PathBuf;
use std::sync::Arc;

use tensorwrapper::__private::cuda::{Collection, CompiledKernels, Route, Schedule, running};
use tensorwrapper::DynOperand;
use tensorwrapper::prelude::*;

use crate::is_there;
use crate::linear::programs;

/// Axes of both factors lie as in no matrix; matrices where they lie; and copies that leave a batch or one product.
const CASES: [(&str, [&[usize]; 2]); 4] = [
    ("aebf,dfce->abcd", [&[3, 4, 5, 6], &[7, 6, 2, 4]]),
    ("ik,kj->ij", [&[5, 6], &[6, 7]]),
    ("bik,kbj->jbi", [&[3, 4, 5], &[5, 3, 6]]),
    ("fdea,ecfb->dcba", [&[3, 4, 5, 6], &[5, 2, 3, 7]]),
];

fn operands(shapes: [&[usize]; 2]) -> [Tensor<f64>; 2] {
    shapes.map(|shape| {
        let element = |i: &[usize]| i.iter().enumerate().map(|(n, &i)| ((n + 1) * i) as f64 / 5.0).sum::<f64>().sin();
        Tensor::from_fn(shape, |i| element(i)).expect("memory for a few numbers")
    })
}

fn compute(context: &Context, (subscripts, shapes): (&str, [&[usize]; 2])) -> Tensor<f64> {
    let operands = operands(shapes);
    let operands: Vec<&dyn DynOperand<f64>> = operands.iter().map(|tensor| tensor as &dyn DynOperand<f64>).collect();
    context.einsum(subscripts, &operands).unwrap_or_else(|error| panic!("{error}"))
}

/// With something that is computed with the product then.
fn with_rest(context: &Context) -> Tensor<f64> {
    let [a, b] = operands(CASES[0].1);
    let c = Tensor::from_fn(&[3, 5, 2, 7], |i| (i[0] + i[1] * i[3]) as f64).expect("memory");
    tensor!(in context; let x[a, b, c, d] = exp(sum(e, f; a[a, e, b, f] * b[d, f, c, e]) / 50) - c[a, b, c, d]; x).into_dyn()
}

fn all(context: &Context) {
    let _ = CASES.map(|case| compute(context, case));
    with_rest(context);
}

fn made(name: &str) -> Arc<CompiledKernels> {
    let collection = Collection::default();
    collection.set_clock(Some([1.0; 4]));
    programs(name, &collection, all)
}

fn assert_right(context: &Context) {
    for case in CASES {
        let (found, expected) = (compute(context, case), compute(&Context::cpu(), case));
        assert!(found.as_slice().iter().zip(expected.as_slice()).all(|(a, b)| (a - b).abs() < 1e-12), "{case:?}");
    }
    let (found, expected) = (with_rest(context), with_rest(&Context::cpu()));
    assert!(found.as_slice().iter().zip(expected.as_slice()).all(|(a, b)| (a - b).abs() < 1e-12));
}

#[test]
fn fastest_choice_is_taken_and_remembered() {
    if !is_there("measured products", Collection::compiler()) {
        return;
    }
    let programs = made("measured");
    // How many of the five products are the library's then. Two lie as matrices, and one has four ways.
    let library = [
        ([1.0, 3.0, 3.0, 2.0], 2),
        ([3.0, 1.0, 3.0, 2.0], 3),
        ([3.0, 3.0, 1.0, 2.0], 1),
        ([1.0, 2.0, 3.0, 3.0], 5),
        ([3.0, 3.0, 2.0, 1.0], 0),
    ];
    for (times, library) in library {
        programs.set_clock(Some(times), None);
        let context = running(&programs, Schedule::Forward, Route::Library);
        assert_right(&context);
        let (measured, products) = (programs.measurements(), programs.products());
        assert_right(&context);
        assert_eq!(programs.measurements(), measured, "what was measured is remembered");
        assert_eq!(programs.products() - products, library, "{times:?}");
        // Another context on another device knows nothing of it.
        assert_right(&running(&programs, Schedule::Forward, Route::Library));
        assert!(programs.measurements() > measured);
    }
    // By rule, nothing is measured.
    let measured = programs.measurements();
    assert_right(&running(&programs, Schedule::Forward, Route::Library).measured(false));
    assert_eq!(programs.measurements(), measured);
}

#[test]
fn choices_are_kept_on_disk_and_explained() {
    if !is_there("choices on disk", Collection::compiler()) {
        return;
    }
    let programs = made("remembered");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("choices");
    let _ = std::fs::remove_dir_all(&folder);
    let file = folder.join("ways");
    programs.set_clock(Some([2.0, 3.0, 3.0, 1.0]), Some(file.clone()));
    assert_right(&running(&programs, Schedule::Forward, Route::Library));
    let measured = programs.measurements();
    assert!(measured > 0 && file.is_file());
    // A device of the next program, for which the other way would be quicker now.
    programs.set_clock(Some([1.0, 1.0, 1.0, 9.0]), Some(file));
    let context = running(&programs, Schedule::Forward, Route::Library);
    let products = programs.products();
    assert_right(&context);
    assert_eq!((programs.measurements(), programs.products()), (measured, products));
    let [a, b] = operands(CASES[0].1);
    let prepared = context.prepare(CASES[0].0, &[&a, &b]).unwrap_or_else(|error| panic!("{error}"));
    let explained = prepared.explain();
    assert!(explained.steps().iter().all(|step| step.is_measured && step.library.is_none()), "{explained}");
    assert!(explained.to_string().contains(", measured"), "{explained}");
    let _ = std::fs::remove_dir_all(&folder);
}

/// Without memory to measure in, size alone decides, and nothing is remembered.
#[test]
fn nothing_is_measured_without_memory_for_it() {
    if !is_there("measurements without room", Collection::compiler()) {
        return;
    }
    let programs = made("no-room");
    programs.set_clock(Some([9.0, 9.0, 9.0, 1.0]), None);
    let context = running(&programs, Schedule::Forward, Route::Library);
    let taken = programs.limit_memory(0);
    programs.limit_memory(taken + 64);
    let [a, b] = operands(CASES[1].1);
    let prepared = context.prepare(CASES[1].0, &[&a, &b]).unwrap_or_else(|error| panic!("{error}"));
    assert!(prepared.explain().steps().iter().all(|step| !step.is_measured && step.library.is_some()));
    assert_eq!(programs.measurements(), 0);
    programs.limit_memory(usize::MAX);
    let found = prepared.run(&[&a, &b]).unwrap_or_else(|error| panic!("{error}"));
    let expected = compute(&Context::cpu(), CASES[1]);
    assert!(found.as_slice().iter().zip(expected.as_slice()).all(|(a, b)| (a - b).abs() < 1e-12));
}
