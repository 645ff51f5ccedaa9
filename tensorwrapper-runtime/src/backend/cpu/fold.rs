//! Reductions of chunks: into a chunk of results, or into one value. In loops whose order of additions is their own.

use crate::backend::Reduction;
use crate::backend::function::Scalar;
use crate::backend::reduce::{maximum, minimum};

/// Folds values into a chunk of results.
#[inline(always)]
pub(super) fn combine<T: Scalar>(reduction: Reduction, folded: &mut [T], values: &[T]) {
    #[inline(always)]
    fn each<T: Copy>(folded: &mut [T], values: &[T], operation: impl Fn(T, T) -> T) {
        for (folded, &value) in folded.iter_mut().zip(values) {
            *folded = operation(*folded, value);
        }
    }
    match reduction {
        Reduction::Sum => each(folded, values, |a, b| a + b),
        Reduction::Product => each(folded, values, |a, b| a * b),
        Reduction::Max => each(folded, values, maximum),
        Reduction::Min => each(folded, values, minimum),
    }
}

/// Folds a chunk, which is not empty, into one value.
#[inline(always)]
pub(super) fn fold_all<T: Scalar>(reduction: Reduction, values: &[T]) -> T {
    match reduction {
        Reduction::Sum => fold(values, |a, b| a + b),
        Reduction::Product => fold(values, |a, b| a * b),
        Reduction::Max => fold(values, maximum),
        Reduction::Min => fold(values, minimum),
    }
}

/// Folds a chunk, which is not empty: sixteen running results, then those.
#[inline(always)]
fn fold<T: Copy>(values: &[T], operation: impl Fn(T, T) -> T) -> T {
    const LANES: usize = 16;
    let Some((first, rest)) = values.split_first_chunk::<LANES>() else {
        return values[1..].iter().fold(values[0], |a, &b| operation(a, b));
    };
    let mut lanes = *first;
    let mut blocks = rest.chunks_exact(LANES);
    for block in &mut blocks {
        for (lane, &value) in lanes.iter_mut().zip(block) {
            *lane = operation(*lane, value);
        }
    }
    let mut width = LANES / 2;
    while width > 0 {
        for n in 0..width {
            lanes[n] = operation(lanes[n], lanes[n + width]);
        }
        width /= 2;
    }
    blocks.remainder().iter().fold(lanes[0], |a, &b| operation(a, b))
}
