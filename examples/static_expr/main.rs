//! Equations over static tensors, and how long they take beside loops written by hand.
//!
//! `.ci/static_expr` reads the assembly of the three functions `static_…`: there is no call in them.

use std::hint::black_box;
use std::time::Instant;

use tensorwrapper::prelude::*;

type Vector = StaticTensor<f64, Shape![4]>;
type Matrix<const N: usize> = StaticTensor<f64, Shape![N, N]>;

/// A product of matrices.
#[inline(never)]
pub fn static_product(a: &Matrix<4>, b: &Matrix<4>) -> Matrix<4> {
    tensor!([i, j] = a[i, k] * b[k, j])
}

/// A scaled product of matrix and vector, and a vector.
#[inline(never)]
pub fn static_update(alpha: f64, a: &Matrix<4>, x: &Vector, y: &Vector) -> Vector {
    tensor!([i] = alpha * a[i, j] * x[j] + y[i])
}

/// A number.
#[inline(never)]
pub fn static_number(a: &Matrix<4>, b: &Matrix<4>) -> f64 {
    tensor!([] = a[i, j] * b[i, j])
}

// Inlined, because two equal functions would become one, and the script would miss a name.
#[inline(always)]
fn by_equation<const N: usize>(a: &Matrix<N>, b: &Matrix<N>) -> Matrix<N> {
    tensor!([i, j] = a[i, k] * b[k, j])
}

#[inline(always)]
fn by_hand<const N: usize>(a: &[[f64; N]; N], b: &[[f64; N]; N]) -> [[f64; N]; N] {
    let mut c = [[0.0; N]; N];
    for i in 0..N {
        for k in 0..N {
            for j in 0..N {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    c
}

/// Nanoseconds of one call, the best of some rounds.
fn time<R>(mut call: impl FnMut() -> R) -> f64 {
    const CALLS: u32 = 200_000;
    let round = |_| {
        let start = Instant::now();
        for _ in 0..CALLS {
            black_box(call());
        }
        start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS)
    };
    (0..20).map(round).fold(f64::INFINITY, f64::min)
}

fn compare<const N: usize>() {
    let a = Matrix::<N>::from_fn(|i| (1 + i[0] * N + i[1]) as f64);
    let (x, y) = (a.into_nested(), a.into_nested());
    assert_eq!(by_equation(&a, &a).into_nested(), by_hand(&x, &y));
    let equation = time(|| by_equation(black_box(&a), black_box(&a)));
    let hand = time(|| by_hand(black_box(&x), black_box(&y)));
    println!("{N} × {N} matrices: {equation:.1} ns by equation, {hand:.1} ns by hand");
}

fn main() {
    let a = Matrix::<4>::from_fn(|i| (i[0] * 4 + i[1]) as f64);
    let (x, y) = (Vector::new([1.0, 2.0, 3.0, 4.0]), Vector::filled(1.0));
    println!("a·a =\n{}", static_product(&a, &a));
    println!("a·x / 2 + y = {}", static_update(0.5, &a, &x, &y));
    println!("a : a = {}", static_number(&a, &a));
    compare::<3>();
    compare::<4>();
    compare::<8>();
}
