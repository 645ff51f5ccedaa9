//! Rust expressions inside equations: how often they run, in which order, and what may leave them.

use std::cell::RefCell;

use super::{Outcome, assert_close, reference, sample};
use tensorwrapper::prelude::*;

/// Notes that it was called.
struct Log(RefCell<Vec<&'static str>>);

impl Log {
    fn note<X>(&self, what: &'static str, value: X) -> X {
        self.0.borrow_mut().push(what);
        value
    }

    fn take(&self) -> Vec<&'static str> {
        self.0.take()
    }
}

#[test]
fn holes_are_evaluated_once_and_in_order() {
    let (log, a) = (Log(RefCell::default()), sample::<Shape>([4, 4], 1));
    let found = tensor!([i, j] = { log.note("alpha", 2.0) } * (log.note("left", &a))[i in log.note("range", 1..3), { log.note("chip", 0) }]
        * (log.note("right", &a))[j, 1] + powi((log.note("base", &a))[i in 2.., j], log.note("power", 2)));
    assert_eq!(log.take(), ["alpha", "left", "range", "chip", "right", "base", "power"]);
    assert_eq!(found.extents(), [2, 4]);
    assert!((found[[1, 2]] - 2.0 * a[[2, 0]] * a[[2, 1]] - a[[3, 2]].powi(2)).abs() < 1e-13);
}

#[test]
fn holes_of_a_block_are_evaluated_in_order() {
    let (log, a) = (Log(RefCell::default()), sample::<Shape>([2, 2], 1));
    let mut c = a.clone();
    tensor! {
        where i, j: log.note("extent", 2);
        let b[i] = (log.note("first", &a))[i, { log.note("chip", 1) }];
        c[i, j] += { log.note("scalar", 2.0) } * b[i] * (log.note("second", &a))[i, j];
        c[i, j] -= b[i] * (log.note("third", &a))[i, j] where j: log.note("own", 2);
    };
    assert_eq!(log.take(), ["extent", "first", "chip", "scalar", "second", "third", "own"]);
}

#[test]
fn equal_braces_run_each_time() {
    let a = sample::<Shape>([2], 1);
    let counter = RefCell::new(0.0);
    let next = || {
        *counter.borrow_mut() += 1.0;
        *counter.borrow()
    };
    let found = tensor!([i] = { next() } * a[i] + { next() } * a[i]);
    assert_close(&found, &reference(&(3.0 * a.at("i")), "i"));
}

#[test]
fn nothing_runs_twice_on_failure() {
    let (log, a) = (Log(RefCell::default()), sample::<Shape>([2], 1));
    let failed = try_tensor!([i] = { log.note("scalar", 1.0) } * a[i, j] + (log.note("operand", &a))[i]);
    assert!(failed.is_err());
    assert_eq!(log.take(), ["scalar", "operand"]);
}

/// `?`, `return` and `await` inside a hole belong to the function around the equation.
#[test]
fn control_flow_is_the_callers() -> Outcome {
    fn parse(text: &str, a: &Tensor<f64>) -> Result<Tensor<f64, Shape![_]>, std::num::ParseFloatError> {
        Ok(tensor!([i] = { text.parse::<f64>()? } * a[i]))
    }
    fn parse_or_nothing(text: &str, a: &Tensor<f64>) -> Option<Tensor<f64, Shape![_]>> {
        let found = try_tensor!([i] = { text.parse::<f64>().ok()? } * a[i]);
        found.ok()
    }
    fn first(all: &[Tensor<f64>]) -> f64 {
        tensor!(
            [] = (match all.first() {
                Some(a) => a,
                None => return -1.0,
            })[i]
                * 1[i]
        )
    }
    let a = sample::<Shape>([2], 1);
    assert!(parse("2.0", &a).is_ok() && parse("two", &a).is_err());
    assert!(parse_or_nothing("2.0", &a).is_some() && parse_or_nothing("two", &a).is_none());
    assert_eq!(first(&[]), -1.0);
    assert!(first(&[a]) > 0.0);
    let b = tensor!([i] = (Tensor::<f64>::filled([2], 1.0)?)[i]);
    assert_eq!(b.as_slice(), [1.0; 2]);
    Ok(())
}

/// A temporary lives until the equation has been computed.
#[test]
fn temporaries_live_long_enough() {
    let make = |n: usize| sample::<Shape>([n, n], n);
    let found = tensor!([i, j] = (make(2).view())[i, k] * (&make(2))[k, j] + (make(2))[i, j]);
    let a = make(2);
    assert_close(&found, &reference(&(a.at("ik") * a.at("kj") + a.at("ij")), "ij"));
}

/// An equation inside another's hole.
#[test]
fn equations_nest() {
    let a = sample::<Shape>([2, 2], 1);
    let found = tensor!([i] = { tensor!([] = a[i, i]) } * (tensor!([i, j] = a[j, i]))[i, 0]);
    assert_close(&found, &reference(&(reference(&a.at("ii"), "")[[]] * a.at("0,i")), "i"));
}
