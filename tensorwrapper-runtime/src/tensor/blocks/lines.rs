//! Sums and products of elements that follow each other in memory, compiled for the instructions of the processor: iterations over block
//! tensors as vectors spend much of their time in them.
//!
//! Knows nothing of blocks.

use tensorwrapper_core::element::Element;
use tensorwrapper_cpu::{Loops, vectorised, vectorised_reads};

/// `Σ conj(x) · y`.
pub(super) fn inner<T: Element>(x: &[T], y: &[T]) -> T {
    vectorised_reads(Inner(x, y))
}

/// `x = function(x, y)`.
pub(super) fn combine<T: Element>(x: &mut [T], y: &[T], function: impl Fn(T, T) -> T) {
    vectorised(Combine(x, y, function));
}

/// `x = function(x)`.
pub(super) fn each<T: Element>(x: &mut [T], function: impl Fn(T) -> T) {
    vectorised(Each(x, function));
}

struct Inner<'l, T>(&'l [T], &'l [T]);

impl<T: Element> Loops for Inner<'_, T> {
    type Result = T;

    /// As many sums side by side as a few vector registers hold, so that additions wait less for each other.
    #[inline(always)]
    fn run(self) -> T {
        const LANES: usize = 32;
        let (pieces, rest) = self.0.as_chunks::<LANES>();
        let (others, other) = self.1.as_chunks::<LANES>();
        let rest = rest.iter().zip(other).fold(T::ZERO, |sum, (&x, &y)| sum + x.conj() * y);
        if pieces.is_empty() {
            return rest;
        }
        let mut sums = [T::ZERO; LANES];
        for (piece, other) in pieces.iter().zip(others) {
            for ((sum, &x), &y) in sums.iter_mut().zip(piece).zip(other) {
                *sum += x.conj() * y;
            }
        }
        sums.into_iter().fold(rest, |all, sum| all + sum)
    }
}

struct Combine<'l, T, F>(&'l mut [T], &'l [T], F);

impl<T: Element, F: Fn(T, T) -> T> Loops for Combine<'_, T, F> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        for (x, &y) in self.0.iter_mut().zip(self.1) {
            *x = (self.2)(*x, y);
        }
    }
}

struct Each<'l, T, F>(&'l mut [T], F);

impl<T: Element, F: Fn(T) -> T> Loops for Each<'_, T, F> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        for x in self.0 {
            *x = (self.1)(*x);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::Complex;

    fn check<T: Element>() {
        for len in [0, 1, 31, 32, 33, 100] {
            let number = |n: usize| T::from_complex(Complex::new(n as f64 - 7.0, 3.0 * n as f64));
            let (x, y): (Vec<T>, Vec<T>) = (0..len).map(|n| (number(n), number(n % 5))).unzip();
            let by = number(3);
            // Whole numbers, so that sums are exact in any order.
            assert_eq!(inner(&x, &y), x.iter().zip(&y).fold(T::ZERO, |sum, (&x, &y)| sum + x.conj() * y), "{len}");
            let mut sum = x.clone();
            combine(&mut sum, &y, |x, y| x + by * y);
            assert_eq!(sum, x.iter().zip(&y).map(|(&x, &y)| x + by * y).collect::<Vec<T>>());
            let mut scaled = x.clone();
            each(&mut scaled, |x| x * by);
            assert_eq!(scaled, x.iter().map(|&x| x * by).collect::<Vec<T>>());
        }
    }

    #[test]
    fn vectors_of_any_length_are_their_loops() {
        check::<f32>();
        check::<f64>();
        check::<Complex<f32>>();
        check::<Complex<f64>>();
    }
}
