//! What goes wrong at run time: the sentence, the kind, the line, and that nothing has been touched.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use super::sample;
use num_complex::Complex;
use tensorwrapper::prelude::*;
use tensorwrapper::{Blocks, ErrorKind, Structure, Tiling};

thread_local! {
    /// The last panic of this thread while somebody listens: sentence, file and line.
    static HEARD: RefCell<Option<(String, String, u32)>> = const { RefCell::new(None) };
    static LISTENING: RefCell<bool> = const { RefCell::new(false) };
}

/// Runs something that panics, and returns its sentence and its line in this file.
fn panic_of<R>(action: impl FnOnce() -> R) -> (String, u32) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let others = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !LISTENING.with(|l| *l.borrow()) {
                return others(info);
            }
            let message = info.payload_as_str().unwrap_or("no text").to_string();
            let place = info.location().map_or((String::new(), 0), |l| (l.file().to_string(), l.line()));
            HEARD.with(|heard| *heard.borrow_mut() = Some((message, place.0, place.1)));
        }));
    });
    LISTENING.with(|l| *l.borrow_mut() = true);
    let outcome = catch_unwind(AssertUnwindSafe(action));
    LISTENING.with(|l| *l.borrow_mut() = false);
    assert!(outcome.is_err(), "no panic");
    let (message, file, line) = HEARD.with(|heard| heard.borrow_mut().take()).expect("the hook heard the panic");
    assert!(file.ends_with("failures.rs"), "located in {file}");
    (message, line)
}

#[track_caller]
fn product(a: &Tensor<f64>, b: &Tensor<f64>) -> Tensor<f64, Shape![_, _]> {
    tensor!([i, j] = a[i, k] * b[k, j])
}

#[test]
fn a_panic_is_located_at_the_caller_of_a_function_that_tracks_it() {
    let a = sample::<Shape>([2, 3], 1);
    assert_eq!(panic_of(|| product(&a, &a)), ("index `k` has extent 3 in `a` but 2 in `b`".to_string(), line!()));
}

#[test]
fn a_panic_is_located_at_its_equation() {
    let (a, b) = (sample::<Shape>([2, 3], 1), sample::<Shape>([4, 2], 2));
    let mut c = a.clone();
    let sentence = "index `k` has extent 3 in `a` but 4 in `b`".to_string();
    assert_eq!(panic_of(|| tensor!([i, j] = a[i, k] * b[k, j])), (sentence.clone(), line!()));
    let both = sentence.clone() + "\nindex `j` has extent 3 in `c` but 2 in `b`";
    assert_eq!(panic_of(|| tensor!(c[i, j] += a[i, k] * b[k, j])), (both, line!()));
    let message = "index `j` has extent 3 in `c` but 2 in `a`\nindex `i` has extent 2 in `c` but 3 in `a`";
    assert_eq!(panic_of(|| tensor!(c[i, j] = a[j, i])), (message.to_string(), line!()));
    let start = line!();
    let panicked = panic_of(|| {
        tensor! {
            let x[i] = a[i, k];
            let y[i] =
                a[i, k] *
                b[k, j];
            let z[i] = x[i] + y[i];
            z
        }
    });
    assert_eq!(panicked, (sentence.clone(), start + 4));
    let start = line!();
    let panicked = panic_of(|| {
        tensor! {
            let x[i] = a[i, k];
            c[i, j] = x[i] * a[i, j];
            [i, j] = a[i, k]
                * b[k, j]
        }
    });
    assert_eq!(panicked, (sentence, start + 5));
}

#[test]
fn failures_while_computing_are_located() {
    let a = Tensor::<f64>::from_vec([2, 2], vec![1.0, 2.0, 2.0, 1.0]).unwrap();
    let (message, line) = panic_of(|| tensor!([i, k] = cholesky(a[i, j])));
    assert_eq!(line, line!() - 1);
    assert!(message.contains("not positive definite"), "{message}");
}

#[test]
fn error_messages() {
    let a = sample::<Shape>([2, 3], 1);
    let n = 5;
    fn said<X>(result: Result<X, Error>) -> String {
        result.err().expect("an error").to_string()
    }
    assert_eq!(said(try_tensor!([i] = a[i])), "`a` has rank 2 but 1 index is given");
    assert_eq!(said(try_tensor!([i, j, k] = a[i, j, k])), "`a` has rank 2 but 3 indices are given");
    assert_eq!(said(try_tensor!([i] = a[i, i])), "index `i` has extent 2 on axis 0 of `a` but 3 on axis 1");
    assert_eq!(said(try_tensor!([i] = a[i, { n }])), "index 5 is out of range for axis 1 of `a`, which has extent 3");
    assert_eq!(said(try_tensor!([i] = a[{ n }, i])), "index 5 is out of range for axis 0 of `a`, which has extent 2");
    assert_eq!(said(try_tensor!([i, j] = a[i, j in 1..n])), "range 1..5 is out of range for axis 1 of `a`, which has extent 3");
    assert_eq!(said(try_tensor!([i, j] = a[i, j in n..])), "range 5.. is out of range for axis 1 of `a`, which has extent 3");
    let last = 2;
    assert_eq!(said(try_tensor!([i, j] = a[i, j in 3..last])), "the range 3..2 on axis 1 of `a` ends before it begins");
    let blocks = Blocks::<f64>::zeros(&Structure::new([&Tiling::cuts([2, 3])])).unwrap();
    assert_eq!(said(try_tensor!([i] = blocks[i in 3..last])), "the range 3..2 on axis 0 of `blocks` ends before it begins");
    let squares = "row index `i` has extent 2 but column index `j` has 3: the matrix is not square";
    assert_eq!(said(try_tensor!([i, k] = cholesky(a[i, j]))), squares);
    let b = Tensor::<f64>::zeros([2, 0]).unwrap();
    let empty = "index `k` has extent 0, and `max` or `min` over nothing has no value";
    assert_eq!(said(try_tensor!([i] = max(k; b[i, k]))), empty);
    let z = Tensor::<Complex<f64>>::zeros([2]).unwrap();
    let order = "`max` and `min` need an order, which `Complex<f64>` has not\nhelp: take `abs` in an equation over real elements";
    assert_eq!(said(try_tensor!([] = max(k; z[k]))), order);
    // 1 is never stretched to 5.
    let one = sample::<Shape>([1], 2);
    assert_eq!(said(try_tensor!([i] = a[i, j] * one[j])), "index `j` has extent 3 in `a` but 1 in `one`");
}

#[test]
fn kinds_carry_both_places() {
    let (a, b) = (sample::<Shape>([2, 3], 1), sample::<Shape>([4, 5], 2));
    let error = try_tensor!([i, j] = a[i, k] * b[j, k]).unwrap_err();
    let ErrorKind::Extent { label, first, second } = error.kind() else { panic!("{error}") };
    assert_eq!(label, "k");
    assert_eq!((first.operand.as_str(), first.axis, first.extent), ("a", 1, 3));
    assert_eq!((second.operand.as_str(), second.axis, second.extent), ("b", 1, 5));
    let error = try_tensor!([i] = a[i]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Rank { operand, rank: 2, given: 1 } if operand == "a"));
    let n = 7;
    let error = try_tensor!([i] = a[i, { n }]).unwrap_err();
    let ErrorKind::Bounds { index, place } = error.kind() else { panic!("{error}") };
    assert_eq!((index.as_str(), place.operand.as_str(), place.axis, place.extent), ("7", "a", 1, 3));
    // Two faults of one equation come out together, in the order of writing.
    let error = try_tensor!([i, j] = a[i, k] * b[k, j, l] + b[i, j]).unwrap_err();
    let ErrorKind::Several(errors) = error.kind() else { panic!("{error}") };
    assert!(matches!(errors[0].kind(), ErrorKind::Rank { .. }) && matches!(errors[1].kind(), ErrorKind::Extent { .. }));
}

#[test]
fn a_failing_equation_touches_nothing() {
    let a = sample::<Shape>([2, 2], 1);
    let (wrong, indefinite) = (sample::<Shape>([3, 3], 2), Tensor::<f64>::from_vec([2, 2], vec![1.0, 2.0, 2.0, 1.0]).unwrap());
    let (mut c, mut d) = (a.clone(), a.clone());
    assert!(try_tensor!(c[i, j] = wrong[i, j]).is_err());
    assert!(try_tensor!(c[i, j] += wrong[i, j]).is_err());
    // The first equation is right, the second fails while recording.
    assert!(try_tensor! { c[i, j] = 2.0 * a[i, j]; d[i, j] *= wrong[i, j]; }.is_err());
    // The second fails while computing.
    let failed = try_tensor! {
        c[i, j] = 2.0 * a[i, j];
        let l[i, k] = cholesky(indefinite[i, j]);
        d[i, k] += l[i, k];
    };
    assert!(matches!(failed.unwrap_err().kind(), ErrorKind::LinearAlgebra { .. }));
    panic_of(|| tensor! { c[i, j] = 2.0 * a[i, j]; d[i, j] *= wrong[i, j]; });
    assert_eq!((&c, &d), (&a, &a));
}

/// An error of the plain API reads like the compiler's.
#[test]
fn operators_and_strings_report_the_same_errors() {
    let (a, b) = (sample::<Shape>([2, 3], 1), sample::<Shape>([4, 5], 2));
    let operators = (a.at("ik") * b.at("kj")).eval("ij").unwrap_err();
    assert_eq!(operators.to_string(), "index `k` has extent 3 in `[ik]` but 4 in `[kj]`");
    let string = einsum("ik,kj->ij", &[&a, &b]).unwrap_err();
    assert_eq!(string.to_string(), "index `k` has extent 3 in `operand 0` but 4 in `operand 1`");
}

/// A collection whose element is another tensor each time that it is written.
struct Fickle(Vec<Tensor<f64>>);

impl std::ops::Index<usize> for Fickle {
    type Output = Tensor<f64>;
    fn index(&self, n: usize) -> &Tensor<f64> {
        &self.0[n]
    }
}
impl std::ops::IndexMut<usize> for Fickle {
    fn index_mut(&mut self, n: usize) -> &mut Tensor<f64> {
        &mut self.0[n + 1]
    }
}

#[test]
#[should_panic(expected = "the place of an assignment had extents [2] when it was read, and has [3] where it is written")]
fn a_place_that_becomes_another_tensor() {
    let mut fickle = Fickle(vec![sample((2,), 1).into_dyn(), sample((3,), 1).into_dyn()]);
    tensor!((fickle[0])[0] = 1.0);
}

#[test]
fn a_literal_that_single_precision_does_not_hold() {
    let x = Tensor::<f32>::filled([2], 1.0).unwrap();
    let error = try_tensor!([i] = 1e39 * x[i]).unwrap_err();
    assert_eq!(error.to_string(), "the literal `1e39` is larger than any number of type `f32`");
    assert_eq!(try_tensor!([i] = 1e38 * x[i]).unwrap()[[0]], 1e38);
}

/// No wrapper is needed around what reads tensors, as around what reads vectors.
#[test]
fn a_caught_panic_leaves_tensors_as_they_were() {
    let a = Tensor::from_array([[1.0, 2.0], [3.0, 4.0]]).unwrap();
    let b = Tensor::<f64>::zeros([3, 2]).unwrap();
    assert!(catch_unwind(|| tensor!([i, j] = b[i, k] * b[j, k] + b[i, j])).is_err());
    assert_eq!(catch_unwind(|| tensor!([i] = a[i, k] * a[i, k])).unwrap().as_slice(), [5.0, 25.0]);
}
