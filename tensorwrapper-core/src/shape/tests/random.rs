//! Random shapes and parts of them, small enough to look at every index: extents 0 and 1 are frequent.

use rand::RngExt as _;
use rand::rngs::StdRng;

use crate::shape::Shape;

/// So many random shapes are looked at in each test.
pub(in crate::shape) const SHAPES: u64 = 500;

/// A shape of rank 0 to 4, half of them with an origin.
pub(in crate::shape) fn shape(rng: &mut StdRng) -> Shape {
    let rank = rng.random_range(0..5);
    let shape: Shape = (0..rank).map(|_| rng.random_range(0..5)).collect();
    if rng.random_bool(0.5) {
        return shape;
    }
    shape.with_origin((0..rank).map(|_| rng.random_range(0..9)).collect::<Vec<_>>()).unwrap()
}

/// The bounds of a part of a shape.
pub(in crate::shape) fn part(rng: &mut StdRng, shape: &Shape) -> (Vec<usize>, Vec<usize>) {
    let axes = shape.origin().iter().zip(shape.extents());
    axes.map(|(&first, &extent)| {
        let begin = rng.random_range(first..=first + extent);
        (begin, rng.random_range(begin..=first + extent))
    })
    .unzip()
}

/// All indices, by counting alone.
pub(in crate::shape) fn by_counting(shape: &Shape) -> Vec<Vec<usize>> {
    let mut indices = if shape.is_null() { Vec::new() } else { vec![Vec::new()] };
    for (&first, &extent) in shape.origin().iter().zip(shape.extents()) {
        let longer = |index: Vec<usize>| (first..first + extent).map(move |last| [&index[..], &[last]].concat());
        indices = indices.into_iter().flat_map(longer).collect();
    }
    indices
}
