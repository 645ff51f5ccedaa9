//! Products of three and more factors over static tensors: the same as over tensors, in the order that the extents ask for.

use num_complex::Complex;
use tensorwrapper::prelude::*;

use crate::static_expr::{same, same_number, some};

/// A chain of three whose middle overflows in one order and not in the other.
fn chain<const I: usize, const K: usize, const L: usize, const J: usize>() -> f64 {
    let a = StaticTensor::<f64, Shape![I, K]>::filled(1e200);
    let b = StaticTensor::<f64, Shape![K, L]>::filled(1e200);
    let c = StaticTensor::<f64, Shape![L, J]>::filled(1e-200);
    tensor!([i, j] = a[i, k] * b[k, l] * c[l, j])[[0, 0]]
}

#[test]
fn the_order_follows_from_the_extents() {
    // As it is written, a · b comes first, and is infinite.
    assert_eq!(chain::<2, 8, 8, 8>(), f64::INFINITY);
    let number = chain::<8, 8, 8, 2>();
    assert!((number / 64e200 - 1.0).abs() < 1e-12, "{number}");
    // Where both orders cost the same, the one that was met first.
    assert_eq!(chain::<3, 3, 3, 3>(), f64::INFINITY);
}

/// Four factors: the outer ones first, which share nothing with each other, or as it is cheapest.
#[test]
fn pairs_of_pairs_are_found() {
    let (a, b) = (StaticTensor::<f64, Shape![9, 2]>::filled(1e200), StaticTensor::<f64, Shape![2, 9]>::filled(1e200));
    let (c, d) = (StaticTensor::<f64, Shape![9, 2]>::filled(1e-200), StaticTensor::<f64, Shape![2, 9]>::filled(1e-200));
    // b · c is 2 × 2, and is in every cheap order the first.
    let product = tensor!([i, m] = a[i, j] * b[j, k] * c[k, l] * d[l, m]);
    assert!((product[[8, 8]] / 36.0 - 1.0).abs() < 1e-12, "{}", product[[8, 8]]);
}

fn agree<T: Element, const N: usize, const M: usize>(alpha: T) {
    let a: &StaticTensor<T, Shape![N, M]> = &some(1);
    let b: &StaticTensor<T, Shape![M, N]> = &some(2);
    let c: &StaticTensor<T, Shape![N, M, N]> = &some(3);
    let d: &StaticTensor<T, Shape![N]> = &some(4);
    let (x, y) = (&a.to_tensor().unwrap(), &b.to_tensor().unwrap());
    let (z, w) = (&c.to_tensor().unwrap(), &d.to_tensor().unwrap());
    same(&tensor!([i, j] = a[i, k] * b[k, l] * c[l, j, m] * d[m]), &tensor!([i, j] = x[i, k] * y[k, l] * z[l, j, m] * w[m]));
    same(
        &tensor!([j, i] = alpha * a[i, k] * (b[k, l] * c[l, j, m]) * b[j, m]),
        &tensor!([j, i] = alpha * x[i, k] * (y[k, l] * z[l, j, m]) * y[j, m]),
    );
    same(
        &tensor!([i, j] = a[i, j] - alpha * a[i, k] * b[k, l] * a[l, j]),
        &tensor!([i, j] = x[i, j] - alpha * x[i, k] * y[k, l] * x[l, j]),
    );
    // A sum within a product, a hyper-edge, a diagonal, a label of one factor alone, one that all have.
    same(&tensor!([i, j] = a[i, k] * sum(l; b[k, l] * a[l, j])), &tensor!([i, j] = x[i, k] * sum(l; y[k, l] * x[l, j])));
    same(
        &tensor!([i] = sum(m; a[i, k] * b[k, i] * c[i, k, m] * d[i])),
        &tensor!([i] = sum(m; x[i, k] * y[k, i] * z[i, k, m] * w[i])),
    );
    same(&tensor!([i, p] = sum(j; a[i, k] * c[p, k, p] * b[j, p])), &tensor!([i, p] = sum(j; x[i, k] * z[p, k, p] * y[j, p])));
    // Nothing in common, a position, a part.
    same(&tensor!([i, k] = sum(l, p; d[i] * b[k, l] * d[p])), &tensor!([i, k] = sum(l, p; w[i] * y[k, l] * w[p])));
    same(
        &tensor!([i, j] = a[i, k] * b[k, l in 0..2] * c[l in 0..2, j, 1]),
        &tensor!([i, j] = x[i, k] * y[k, l in 0..2] * z[l in 0..2, j, 1]),
    );
    // Numbers.
    same_number(tensor!([] = a[i, k] * b[k, l] * a[l, m] * b[m, i]), tensor!([] = x[i, k] * y[k, l] * x[l, m] * y[m, i]));
    same_number(tensor!([] = d[i] * a[i, k] * b[k, l] * d[l]), tensor!([] = w[i] * x[i, k] * y[k, l] * w[l]));
    // Five factors, and six, of which there is no plan.
    same(
        &tensor!([i, j] = a[i, k] * b[k, l] * a[l, m] * b[m, n] * a[n, j]),
        &tensor!([i, j] = x[i, k] * y[k, l] * x[l, m] * y[m, n] * x[n, j]),
    );
    same(
        &tensor!([i, j] = a[i, k] * b[k, l] * a[l, m] * b[m, n] * a[n, p] * b[p, j]),
        &tensor!([i, j] = x[i, k] * y[k, l] * x[l, m] * y[m, n] * x[n, p] * y[p, j]),
    );
    let mut sum: StaticTensor<T, Shape![N, M]> = *a;
    tensor!(sum[i, j] += a[i, k] * b[k, l] * a[l, j]);
    same(&sum, &tensor!([i, j] = x[i, j] + x[i, k] * y[k, l] * x[l, j]));
}

#[test]
fn all_forms_agree() {
    agree::<f64, 5, 3>(0.25);
    agree::<f32, 3, 4>(0.5);
    agree::<Complex<f64>, 3, 3>(Complex::new(0.5, -1.0));
}

/// Extents 0 and 1, and intermediates that are too large for the stack.
#[test]
fn extremes_agree() {
    let a: &StaticTensor<f64, Shape![9, 1]> = &some(5);
    let b: &StaticTensor<f64, Shape![1, 9]> = &some(6);
    let (x, y) = (&a.to_tensor().unwrap(), &b.to_tensor().unwrap());
    same(&tensor!([i, j] = a[i, k] * b[k, l] * a[l, m] * b[m, j]), &tensor!([i, j] = x[i, k] * y[k, l] * x[l, m] * y[m, j]));
    let nothing = StaticTensor::<f64, Shape![9, 0]>::zeros();
    let none = StaticTensor::<f64, Shape![0, 9]>::zeros();
    assert!(tensor!([i, j] = a[i, k] * b[k, l] * nothing[l, m] * none[m, j]).as_slice().iter().all(|&value| value == 0.0));
    let c: &StaticTensor<f64, Shape![40]> = &some(7);
    let z = &c.to_tensor().unwrap();
    same_number(tensor!([] = sum(i, j, k; c[i] * c[j] * c[k])), tensor!([] = sum(i, j, k; z[i] * z[j] * z[k])));
}
