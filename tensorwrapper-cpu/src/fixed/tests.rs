//! Kernels of fixed size in every form that this processor has, against the sum that defines them.

use std::mem::MaybeUninit;

use num_complex::Complex;

use super::*;

/// A product of matrices; the right one by columns where `TRANSPOSED`.
struct Matrices<const M: usize, const K: usize, const N: usize, const TRANSPOSED: bool>;
impl<const M: usize, const K: usize, const N: usize, const TRANSPOSED: bool> Fixed for Matrices<M, K, N, TRANSPOSED> {
    const PROBLEM: Problem = Problem {
        rows: M,
        columns: N,
        terms: [Term { extent: K, a: 1, b: if TRANSPOSED { 1 } else { N } }, Term::NONE],
        a_row: K,
        c_row: N,
        b_column: if TRANSPOSED { K } else { 1 },
        outer: [Axis::NONE; MOST_OUTER],
    };
}

/// `c[o, i, p, j] = Σ a[p, k, i, l] · b[l, o, k, j]`, one loop outside and one inside of the rows.
struct Batches;
impl Fixed for Batches {
    const PROBLEM: Problem = Problem {
        rows: 5,
        columns: 6,
        terms: [Term { extent: 4, a: 1, b: 36 }, Term { extent: 3, a: 20, b: 6 }],
        a_row: 4,
        c_row: 12,
        b_column: 1,
        outer: [Axis { extent: 2, a: 60, b: 0, c: 6 }, Axis { extent: 2, a: 0, b: 18, c: 60 }, NONE, NONE, NONE, NONE],
    };
}
const NONE: Axis = Axis::NONE;

fn elements<T: Element>(count: usize, seed: usize) -> Vec<T> {
    let element = |n: usize| ((n * 37 + seed) % 23) as f64 - 11.0;
    (0..count).map(|n| T::from_complex(Complex::new(element(n), element(n + 5)))).collect()
}

/// The definition: every loop is one number of the odometer.
fn by_definition<T: Element>(p: &Problem, a: &[T], b: &[T]) -> Vec<T> {
    let mut c = vec![T::ZERO; p.reach()[2]];
    let extents: Vec<usize> =
        [p.rows, p.columns, p.terms[0].extent, p.terms[1].extent].into_iter().chain(p.outer.iter().map(|o| o.extent)).collect();
    for n in 0..extents.iter().product::<usize>() {
        let mut rest = n;
        let at: Vec<usize> = extents.iter().map(|extent| (rest % extent, rest /= extent).0).collect();
        let outer = |step: fn(&Axis) -> usize| p.outer.iter().zip(&at[4..]).map(|(o, i)| i * step(o)).sum::<usize>();
        let a = a[at[0] * p.a_row + at[2] * p.terms[0].a + at[3] * p.terms[1].a + outer(|o| o.a)];
        let b = b[at[1] * p.b_column + at[2] * p.terms[0].b + at[3] * p.terms[1].b + outer(|o| o.b)];
        c[at[0] * p.c_row + at[1] + outer(|o| o.c)] += a * b;
    }
    c
}

/// Whole numbers, so that every order of adding gives the same.
fn check<P: Fixed, T: Element>() {
    let p = &P::PROBLEM;
    let parts = size_of::<T>() / size_of::<T::Real>();
    // Narrower rows than any vector have no kernel.
    if p.columns * parts * size_of::<T::Real>() < 16 {
        return;
    }
    let [a, b, c] = p.reach();
    let (a, b) = (elements::<T>(a, 3), elements::<T>(b, 8));
    let expected = by_definition(p, &a, &b);
    let Some(factors) = Factors::<P, T>::new(&a, &b) else { return };
    for simd in [Simd::Avx512, Simd::Avx2].into_iter().filter(|simd| simd.is_available()) {
        let mut place = vec![MaybeUninit::new(T::ONE); c];
        assert_eq!(factors.product_by(simd, &mut place), expected, "{simd:?}, {p:?}");
    }
}

fn check_all<P: Fixed>() {
    check::<P, f32>();
    check::<P, f64>();
    check::<P, Complex<f32>>();
    check::<P, Complex<f64>>();
}

macro_rules! sizes {
    ($check:ident $TRANSPOSED:literal: $($M:literal $K:literal $N:literal),*) => {
        $($check::<Matrices<$M, $K, $N, $TRANSPOSED>>();)*
    };
}

/// One element type, where all would be many kernels for the compiler.
fn check_doubles<P: Fixed>() {
    check::<P, f64>();
}

#[test]
fn squares_and_oblongs_agree_with_the_definition() {
    sizes!(check_doubles false: 2 2 2, 3 3 3, 4 4 4, 5 5 5, 6 6 6, 7 7 7, 8 8 8, 9 9 9, 10 10 10, 11 11 11, 12 12 12);
    sizes!(check_doubles false: 13 13 13, 14 14 14, 15 15 15, 16 16 16, 17 17 17, 18 18 18, 20 20 20, 24 24 24);
    sizes!(check_all false: 1 1 1, 3 3 3, 7 5 6, 3 7 25, 40 1 5);
    sizes!(check_all true: 2 2 2, 5 4 9, 2 30 17);
}

#[test]
fn loops_around_agree_with_the_definition() {
    check_all::<Batches>();
}

#[test]
fn results_with_gaps_or_twice_written_are_seen() {
    assert!(Batches::PROBLEM.covers() && Problem::ONE.covers());
    assert!(!Problem { c_row: 13, ..Batches::PROBLEM }.covers());
    assert!(!Problem { columns: 5, ..Batches::PROBLEM }.covers());
    assert!(!Problem { rows: 2, c_row: 0, ..Problem::ONE }.covers());
    // Two loops of one stride.
    assert!(!Problem { rows: 2, columns: 2, c_row: 1, ..Problem::ONE }.covers());
}
