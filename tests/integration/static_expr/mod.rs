//! Equations over static tensors, which become loops in the program itself: every form gives what the same equation gives over tensors.

mod forms;
mod pairs;
mod places;
mod products;
mod tensors;

use num_complex::Complex;
use tensorwrapper::{StaticExtents, prelude::*};

/// Elements that differ from each other, none of them zero.
fn some<T: Element, S: StaticExtents>(seed: usize) -> StaticTensor<T, S> {
    let mut n = seed;
    StaticTensor::from_fn(|_| {
        n = (n * 37 + 11) % 101;
        T::from_complex(Complex::new(0.25 + n as f64 / 50.0, 0.5 - n as f64 / 101.0))
    })
}

/// Whether two numbers are one, but for the order of sums.
fn near<T: Element>(a: T, b: T) -> bool {
    let (a, b) = (a.to_complex(), b.to_complex());
    (a - b).norm() <= 1e-5 * (1.0 + b.norm())
}

#[track_caller]
fn same<T: Element, S: StaticExtents, S2: Extents>(fixed: &StaticTensor<T, S>, computed: &Tensor<T, S2>) {
    assert_eq!(fixed.extents(), computed.extents());
    let all = fixed.as_slice().iter().zip(computed.as_slice()).all(|(a, b)| near(*a, *b));
    assert!(all, "{fixed:?}\nis not\n{computed:?}");
}

#[track_caller]
fn same_number<T: Element>(fixed: T, computed: T) {
    assert!(near(fixed, computed), "{fixed:?} is not {computed:?}");
}
