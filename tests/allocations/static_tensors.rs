//! Equations over static tensors alone allocate nothing.

use std::hint::black_box;

use tensorwrapper::linalg;
use tensorwrapper::prelude::*;

use crate::alone;
use crate::counting::allocations;

#[test]
fn static_equations_allocate_nothing() {
    let _alone = alone(0);
    let a: StaticTensor<f64, Shape![4, 4]> = StaticTensor::from_fn(|i| (i[0] + 2 * i[1]) as f64);
    let x: StaticTensor<f64, Shape![4]> = StaticTensor::filled(0.5);
    let (a, x, n, mut c) = (black_box(a), black_box(x), black_box(1), a);
    assert_eq!(allocations(|| tensor!([i, j] = a[i, k] * a[k, j])), 0);
    assert_eq!(allocations(|| tensor!([i] = 2.0 * a[i, j] * x[j] + exp(x[i]))), 0);
    assert_eq!(allocations(|| tensor!([] = a[i, i] * powf(x[i], 0.5))), 0);
    assert_eq!(allocations(|| tensor!([i, i] = a[i, { n }])), 0);
    assert_eq!(allocations(|| try_tensor!([i] = max(j; a[i, j]) - a[i, { n }])), 0);
    assert_eq!(allocations(|| tensor!(c[i, j] += a[j, i])), 0);
    assert_eq!(allocations(|| try_tensor!(c[i in 1..3, { n }] = x[i in 0..2])), 0);
    assert_eq!(allocations(|| einsum!("ij,j->i", a, x)), 0);
}

#[test]
fn linear_algebra_of_small_matrices_allocates_nothing() {
    let _alone = alone(0);
    let a: StaticTensor<f64, Shape![8, 8]> = StaticTensor::from_fn(|i| ((i[0] * 5 + i[1] * 3) % 7) as f64);
    let h: StaticTensor<f64, Shape![8, 8]> =
        StaticTensor::from_fn(|i| if i[0] == i[1] { 9.0 } else { 1.0 / (1 + i[0] + i[1]) as f64 });
    let w: StaticTensor<f64, Shape![3, 5]> = StaticTensor::from_fn(|i| (1 + i[0] * 2 + i[1] * i[1]) as f64);
    let x: StaticTensor<f64, Shape![8]> = StaticTensor::filled(0.5);
    let (a, h, w, x) = (black_box(a), black_box(h), black_box(w), black_box(x));
    let a: StaticTensor<f64, Shape![8, 8]> = tensor!([i, j] = a[i, j] + h[i, j]);
    assert_eq!(allocations(|| tensor!([i, k] = cholesky(h[i, j]))), 0);
    assert_eq!(allocations(|| tensor!(([n], [i, n]) = eigh(h[i, j]))), 0);
    assert_eq!(allocations(|| tensor!([k] = solve(a[i, k], x[i]))), 0);
    assert_eq!(allocations(|| try_tensor!([k] = triangular_solve(h[i, k], x[i]; upper))), 0);
    assert_eq!(allocations(|| tensor!([j, i] = inv(a[i, j]))), 0);
    assert_eq!(allocations(|| tensor!([] = det(a[i, j]))), 0);
    assert_eq!(allocations(|| tensor!(([], []) = slogdet(a[i, j]))), 0);
    assert_eq!(allocations(|| tensor!(([i, q], [q, r], [r, j]) = lu(a[i, j]))), 0);
    assert_eq!(allocations(|| tensor!(([i, r], [r, j]) = qr(w[i, j]))), 0);
    assert_eq!(allocations(|| tensor!(([i, r], [r, j]) = lq(w[i, j]))), 0);
    assert_eq!(allocations(|| try_tensor!(([i, r], [r], [r, j]) = svd(w[i, j]))), 0);
    assert_eq!(allocations(|| tensor!([i, j] = matpow(h[i, j], -3))), 0);
    assert_eq!(allocations(|| tensor!([] = norm(a[i, j]) )), 0);
    assert_eq!(allocations(|| tensor!([] = trace(a[i, j]))), 0);
}

#[test]
fn batches_and_functions_of_small_matrices_allocate_nothing() {
    let _alone = alone(0);
    let h: StaticTensor<f64, Shape![3, 4, 4]> =
        StaticTensor::from_fn(|i| if i[1] == i[2] { 9.0 } else { 1.0 / (1 + i[0] + i[1] + i[2]) as f64 });
    let (h, x) = (black_box(h), black_box(StaticTensor::<f64, Shape![3, 4]>::filled(0.5)));
    let one: StaticTensor<f64, Shape![4, 4]> = tensor!([i, j] = h[1, i, j]);
    let b: StaticTensor<f64, Shape![4]> = StaticTensor::filled(1.0);
    assert_eq!(allocations(|| tensor!([b, i, k] = cholesky(i, j; h[b, i, j]))), 0);
    assert_eq!(allocations(|| try_tensor!(([b, n], [b, i, n]) = eigh(i, j; h[b, i, j]))), 0);
    assert_eq!(allocations(|| tensor!([b, k] = solve(h[b, i, k], x[b, i]))), 0);
    assert_eq!(allocations(|| try_tensor!([b, j, i] = inv(i, j; h[b, i, j]))), 0);
    assert_eq!(allocations(|| linalg::cholesky(&one).eval()), 0);
    assert_eq!(allocations(|| linalg::eigh(&one).eval()), 0);
    assert_eq!(allocations(|| linalg::svd(&x).eval()), 0);
    assert_eq!(allocations(|| linalg::matpow(&one, -3).eval()), 0);
    assert_eq!(allocations(|| linalg::solve(&one, &b).eval()), 0);
    assert_eq!(allocations(|| linalg::triangular_solve(&one, &b).upper().eval()), 0);
}

/// The count is not zero for everything.
#[test]
fn allocator_counts_tensors() {
    let _alone = alone(0);
    assert!(allocations(|| Tensor::<f64>::zeros([2, 2])) > 0);
}
