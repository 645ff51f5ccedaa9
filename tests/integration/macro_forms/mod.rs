//! Every form of `tensor!` and `try_tensor!`, against operators on the reference device or numbers worked out by hand.

#![expect(deprecated, reason = "labels that occur once are summed with a warning, and here that is meant")]

mod blocks;
mod casts;
mod decompositions;
mod failures;
mod fused;
mod generic;
mod holes;
mod linear;
mod mapped;
mod operands;
mod places;
mod values;

use tensorwrapper::prelude::*;
use tensorwrapper::{Indexed, IntoShape};

type Outcome = Result<(), Error>;

/// A tensor of numbers between 0.5 and 1.5 without a pattern, so that divisions and logarithms are tame.
fn sample<S: Extents>(shape: impl IntoShape<S>, seed: usize) -> Tensor<f64, S> {
    let element = |index: &[usize]| {
        let place = index.iter().fold(seed + 1, |place, i| place * 31 + i + 7);
        1.0 + 0.5 * (place as f64 * 12.9898).sin()
    };
    Tensor::from_fn(shape, element).expect("memory for a small tensor")
}

/// The equation `[left] = right` by operators on the reference device.
fn reference<T: Element>(right: &Indexed<'_, T>, left: &str) -> Tensor<T> {
    right.eval_in(&Context::reference(), left).expect("an equation that holds")
}

/// Equal extents, and elements that differ by rounding at most.
#[track_caller]
fn assert_close<T: Element, A: Extents, B: Extents>(found: &Tensor<T, A>, expected: &Tensor<T, B>) {
    assert_eq!(found.extents(), expected.extents());
    for (a, b) in found.as_slice().iter().zip(expected.as_slice()) {
        let (a, b) = (a.to_complex(), b.to_complex());
        assert!((a - b).norm() <= 1e-12 * (1.0 + b.norm()), "{found}\ninstead of\n{expected}");
    }
}

/// Two types are the same.
fn assert_type<T>(_: &T) {}
