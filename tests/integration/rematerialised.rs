//! Intermediates that are computed again where memory is limited: the same numbers, in less memory, for a few more operations.

use tensorwrapper::prelude::*;
use tensorwrapper::{ErrorKind, Expr, Graph, Pass};

type Matrix = Tensor<f64, Shape![_, _]>;

fn numbers(rows: usize, columns: usize) -> Matrix {
    Tensor::from_fn((rows, columns), |i| ((i[0] * 31 + i[1] * 17) as f64).sin() / 4.0).unwrap()
}

/// The sum of the squares of what layers `tanh(h·W)` make, and its derivative by W.
fn layers<'a>(depth: usize, x: &'a Matrix, w: &'a Matrix) -> (Expr<'a, f64, ()>, Expr<'a, f64, Shape![_, _]>) {
    let graph = Graph::new();
    let mut h = tensor! { in &graph; let h[b, j] = x[b, j]; h };
    for _ in 0..depth {
        h = tensor! { in &graph; let z[b, j] = h[b, k] * w[k, j]; let next[b, j] = tanh(z[b, j]); next };
    }
    let value = tensor! { in &graph; let value = h[b, j] * h[b, j]; value };
    let gradient = value.grad(w).unwrap();
    (value, gradient)
}

/// Contexts of one thread with all memory, and with a part of what the same computation takes there.
fn contexts(whole: u128, part: f64) -> (Context, Context, usize) {
    let limit = (whole as f64 * part) as usize;
    (Context::cpu().threads(1), Context::cpu().threads(1).memory_limit(limit), limit)
}

#[test]
fn a_quarter_of_the_memory_is_enough_for_derivatives() {
    let (x, w) = (numbers(256, 24), numbers(24, 24));
    let (value, gradient) = layers(64, &x, &w);
    let whole = Context::cpu().threads(1).explain((&value, &gradient)).unwrap();
    let (free, short, limit) = contexts(whole.peak_bytes(), 0.25);
    let less = short.explain((&value, &gradient)).unwrap();
    assert!(less.peak_bytes() <= limit as u128, "{} {limit}", less.peak_bytes());
    assert!(less.operations() <= 1.4 * whole.operations(), "{} {}", less.operations(), whole.operations());
    // The same operations on the same numbers.
    let [expected, found] = [free, short.clone()].map(|context| context.eval_all((&value, &gradient)).unwrap());
    assert_eq!(expected.0.as_slice(), found.0.as_slice());
    assert_eq!(expected.1.as_slice(), found.1.as_slice());
    // Without the pass there is no way.
    let error = short.without(Pass::Again).eval_all((&value, &gradient)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Limit { .. }), "{error}");
}

/// Second derivatives along a direction: what is kept for them waits at several places.
#[test]
fn second_derivatives_take_less_memory_too() {
    let (x, w, direction) = (numbers(128, 16), numbers(16, 16), numbers(16, 16));
    let (value, gradient) = layers(32, &x, &w);
    let (second,) = value.hvp(((&w, &direction),)).unwrap();
    let whole = Context::cpu().threads(1).explain((&value, &gradient, &second)).unwrap();
    let (free, short, limit) = contexts(whole.peak_bytes(), 0.4);
    let less = short.explain((&value, &gradient, &second)).unwrap();
    assert!(less.peak_bytes() <= limit as u128, "{} {limit}", less.peak_bytes());
    assert!(less.operations() <= 2.0 * whole.operations(), "{} {}", less.operations(), whole.operations());
    let [expected, found] = [free, short].map(|context| context.eval_all((&gradient, &second)).unwrap());
    assert_eq!(expected.0.as_slice(), found.0.as_slice());
    assert_eq!(expected.1.as_slice(), found.1.as_slice());
}
