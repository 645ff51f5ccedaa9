//! The two loops of linear algebra: dot product and scaled addition, over any strides.

use crate::element::Element;

/// A vector: memory, position of its first element, stride.
pub(super) type Vector<'a, T> = (&'a [T], isize, isize);

/// Elements of a dot product summed in running sums before these are added to the total, so that long sums stay accurate.
const STRETCH: usize = 4096;

/// The sum of `multiply(a, b)` over `len` elements.
#[inline]
pub(super) fn dot<T: Element>(a: Vector<'_, T>, b: Vector<'_, T>, len: usize, multiply: impl Fn(T, T) -> T + Copy) -> T {
    if (a.2, b.2) != (1, 1) {
        return dot_strided(a, b, len, multiply);
    }
    let (a, b) = (contiguous(a, len), contiguous(b, len));
    let mut total = T::ZERO;
    for (a, b) in a.chunks(STRETCH).zip(b.chunks(STRETCH)) {
        // As many running sums as hide the latency of an addition and still stay in registers.
        total += match size_of::<T>() {
            4 => dot_contiguous::<T, 16>(a, b, multiply),
            8 => dot_contiguous::<T, 8>(a, b, multiply),
            _ => dot_contiguous::<T, 4>(a, b, multiply),
        };
    }
    total
}

#[inline]
fn dot_contiguous<T: Element, const LANES: usize>(a: &[T], b: &[T], multiply: impl Fn(T, T) -> T) -> T {
    let mut sums = [T::ZERO; LANES];
    let (a, rest_a) = a.as_chunks::<LANES>();
    let (b, rest_b) = b.as_chunks::<LANES>();
    for (a, b) in a.iter().zip(b) {
        for n in 0..LANES {
            sums[n] += multiply(a[n], b[n]);
        }
    }
    let mut width = LANES / 2;
    while width > 0 {
        for n in 0..width {
            let other = sums[n + width];
            sums[n] += other;
        }
        width /= 2;
    }
    rest_a.iter().zip(rest_b).fold(sums[0], |sum, (&a, &b)| sum + multiply(a, b))
}

fn dot_strided<T: Element>(a: Vector<'_, T>, b: Vector<'_, T>, len: usize, multiply: impl Fn(T, T) -> T) -> T {
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

/// Adds `multiply(a, b)` to each sum.
#[inline]
pub(super) fn add_scaled<T: Element>(sums: &mut [T], a: Vector<'_, T>, b: Vector<'_, T>, multiply: impl Fn(T, T) -> T) {
    let len = sums.len();
    match (a.2, b.2) {
        (1, 0) => {
            let b = b.0[b.1 as usize];
            sums.iter_mut().zip(contiguous(a, len)).for_each(|(sum, &a)| *sum += multiply(a, b));
        }
        (0, 1) => {
            let a = a.0[a.1 as usize];
            sums.iter_mut().zip(contiguous(b, len)).for_each(|(sum, &b)| *sum += multiply(a, b));
        }
        (1, 1) => {
            sums.iter_mut().zip(contiguous(a, len)).zip(contiguous(b, len)).for_each(|((sum, &a), &b)| *sum += multiply(a, b))
        }
        _ => {
            let (mut at_a, mut at_b) = (a.1, b.1);
            for sum in sums {
                *sum += multiply(a.0[at_a as usize], b.0[at_b as usize]);
                (at_a, at_b) = (at_a + a.2, at_b + b.2);
            }
        }
    }
}

fn contiguous<'a, T>(vector: Vector<'a, T>, len: usize) -> &'a [T] {
    &vector.0[vector.1 as usize..][..len]
}
