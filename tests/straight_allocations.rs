//! Equations over static tensors alone allocate nothing.

mod counting;

use std::hint::black_box;

use tensorwrapper::prelude::*;

use counting::allocations;

#[test]
fn straight_code_allocates_nothing() {
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

/// The count is not zero for everything.
#[test]
fn tensors_are_counted() {
    assert!(allocations(|| Tensor::<f64>::zeros([2, 2])) > 0);
}
