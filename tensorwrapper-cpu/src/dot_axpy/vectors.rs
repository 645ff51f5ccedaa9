//! The two loops of linear algebra: dot product and scaled addition, over any strides.

use super::running_sums::add_lines;
use crate::simd::Simd;
use tensorwrapper_core::element::Element;

/// A vector: memory, position of its first element, stride.
pub(super) type StridedRef<'a, T> = (&'a [T], isize, isize);

/// Elements of a dot product summed in running sums before these are added to the total, so that long sums stay accurate.
const STRETCH: usize = 4096;

/// The sums of `multiply(a, b)` over `len` elements of all pairs of vectors. Each is the same however many there are.
#[inline(always)]
pub(super) fn dot<T: Element, const N: usize>(
    simd: Simd,
    a: Vectors<'_, T, N>,
    b: Vectors<'_, T, N>,
    len: usize,
    multiply: impl Fn(T, T) -> T + Copy,
) -> [T; N] {
    let mut totals = [T::ZERO; N];
    if (a.2, b.2) != (1, 1) {
        for (n, total) in totals.iter_mut().enumerate() {
            *total = dot_strided((a.0, a.1[n], a.2), (b.0, b.1[n], b.2), len, multiply);
        }
        return totals;
    }
    let (a, b) = (all_contiguous(a, len), all_contiguous(b, len));
    for first in (0..len).step_by(STRETCH) {
        let range = first..len.min(first + STRETCH);
        let (a, b) = (a.map(|a| &a[range.clone()]), b.map(|b| &b[range.clone()]));
        // As many running sums as hide the latency of an addition and still stay in registers.
        let sums = match size_of::<T>() {
            4 => dot_contiguous::<T, 16, N>(simd, a, b, multiply),
            8 => dot_contiguous::<T, 8, N>(simd, a, b, multiply),
            _ => dot_contiguous::<T, 4, N>(simd, a, b, multiply),
        };
        totals.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
    }
    totals
}

#[inline(always)]
fn dot_contiguous<T: Element, const LANES: usize, const N: usize>(
    simd: Simd,
    a: [&[T]; N],
    b: [&[T]; N],
    multiply: impl Fn(T, T) -> T,
) -> [T; N] {
    let mut sums = [[T::ZERO; LANES]; N];
    let (whole, len) = (a[0].len() / LANES, a[0].len());
    if T::DTYPE.is_complex() {
        let [a_chunks, b_chunks] = [a, b].map(|vectors| vectors.map(|vector| &vector.as_chunks::<LANES>().0[..whole]));
        for at in 0..whole {
            for ((sums, a), b) in sums.iter_mut().zip(&a_chunks).zip(&b_chunks) {
                for ((sum, &a), &b) in sums.iter_mut().zip(&a[at]).zip(&b[at]) {
                    *sum += multiply(a, b);
                }
            }
        }
    } else {
        add_lines(simd, a, b, whole, &mut sums);
    }
    let mut totals = [T::ZERO; N];
    for (n, sums) in sums.iter_mut().enumerate() {
        let mut width = LANES / 2;
        while width > 0 {
            for n in 0..width {
                let other = sums[n + width];
                sums[n] += other;
            }
            width /= 2;
        }
        totals[n] = (whole * LANES..len).fold(sums[0], |sum, at| sum + multiply(a[n][at], b[n][at]));
    }
    totals
}

fn dot_strided<T: Element>(a: StridedRef<'_, T>, b: StridedRef<'_, T>, len: usize, multiply: impl Fn(T, T) -> T) -> T {
    let (mut at_a, mut at_b) = (a.1, b.1);
    let mut total = T::ZERO;
    for first in (0..len).step_by(STRETCH) {
        let mut sums = [T::ZERO; 4];
        for n in first..len.min(first + STRETCH) {
            sums[n % 4] += multiply(a.0[at_a as usize], b.0[at_b as usize]);
            (at_a, at_b) = (at_a + a.2, at_b + b.2);
        }
        total += (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
    total
}

/// Vectors of one stride in the same memory: the positions of their first elements.
pub(super) type Vectors<'a, T, const N: usize> = (&'a [T], [isize; N], isize);

/// Adds `multiply(a, b)` of all pairs of vectors to each sum, one after the other.
#[inline(always)]
pub(super) fn add_scaled<T: Element, const N: usize>(
    sums: &mut [T],
    a: Vectors<'_, T, N>,
    b: Vectors<'_, T, N>,
    multiply: impl Fn(T, T) -> T,
) {
    let len = sums.len();
    let number = |(data, at, _): Vectors<'_, T, N>| at.map(|at| data[at as usize]);
    match (a.2, b.2) {
        (1, 0) => {
            let (a, b) = (all_contiguous(a, len), number(b));
            add_each::<T, N>(sums, |at, n| multiply(a[n][at], b[n]));
        }
        (0, 1) => {
            let (a, b) = (number(a), all_contiguous(b, len));
            add_each::<T, N>(sums, |at, n| multiply(a[n], b[n][at]));
        }
        (1, 1) => {
            let (a, b) = (all_contiguous(a, len), all_contiguous(b, len));
            add_each::<T, N>(sums, |at, n| multiply(a[n][at], b[n][at]));
        }
        _ => {
            for n in 0..N {
                let (mut at_a, mut at_b) = (a.1[n], b.1[n]);
                for sum in &mut *sums {
                    *sum += multiply(a.0[at_a as usize], b.0[at_b as usize]);
                    (at_a, at_b) = (at_a + a.2, at_b + b.2);
                }
            }
        }
    }
    #[inline(always)]
    fn add_each<T: Element, const N: usize>(sums: &mut [T], product: impl Fn(usize, usize) -> T) {
        for (at, sum) in sums.iter_mut().enumerate() {
            *sum = (0..N).fold(*sum, |sum, n| sum + product(at, n));
        }
    }
}

#[inline(always)]
fn all_contiguous<'a, T, const N: usize>((data, at, _): Vectors<'a, T, N>, len: usize) -> [&'a [T]; N] {
    at.map(|at| contiguous((data, at, 1), len))
}

#[inline(always)]
fn contiguous<'a, T>(vector: StridedRef<'a, T>, len: usize) -> &'a [T] {
    &vector.0[vector.1 as usize..][..len]
}

#[cfg(test)]
mod tests {
    use num_complex::Complex;

    use super::*;

    /// Numbers of many sizes, so that another order of additions shows.
    fn numbers<T: Element>(len: usize) -> Vec<T> {
        (0..len).map(|n| T::from_complex(Complex::new(1.0 / (n % 89 + 1) as f64, (n % 7) as f64 - 3.1))).collect()
    }

    fn several_are_each_as_if_alone<T: Element>() {
        for len in [0, 1, 7, 64, STRETCH + 13] {
            let (a, b) = (numbers::<T>(5 * len + 10), numbers::<T>(2 * len + 10));
            for (left, right) in [(1, 1), (1, 0), (0, 1), (2, 1)] {
                let (at_a, at_b) = ([0, 3, 2 * len as isize, 9], [9, 0, 5, len as isize]);
                let sums = dot(Simd::Portable, (&a, at_a, left), (&b, at_b, right), len, |a, b| a * b);
                let mut together = numbers::<T>(len);
                let mut alone = together.clone();
                add_scaled(&mut together, (&a, at_a, left), (&b, at_b, right), |a, b| a * b);
                for n in 0..4 {
                    for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
                        let [sum] = dot(simd, (&a, [at_a[n]], left), (&b, [at_b[n]], right), len, |a, b| a * b);
                        assert_eq!(sum, sums[n], "{simd:?}, {len} elements, strides {left} and {right}");
                    }
                    add_scaled(&mut alone, (&a, [at_a[n]], left), (&b, [at_b[n]], right), |a, b| a * b);
                }
                assert_eq!(together, alone, "{len} elements, strides {left} and {right}");
            }
        }
    }

    #[test]
    fn several_vectors_give_what_each_gives_alone() {
        several_are_each_as_if_alone::<f32>();
        several_are_each_as_if_alone::<f64>();
        several_are_each_as_if_alone::<Complex<f32>>();
        several_are_each_as_if_alone::<Complex<f64>>();
    }
}
