//! Products of matrices that kernels of their size compute: every way to write one, beside the same over tensors.

use num_complex::Complex;
use tensorwrapper::prelude::*;

use crate::static_expr::{same, some};

/// The products of an M × K and a K × N matrix, each of them stored either way.
fn products<T: Element, const M: usize, const K: usize, const N: usize>(alpha: T) {
    let a: &StaticTensor<T, Shape![M, K]> = &some(1);
    let b: &StaticTensor<T, Shape![K, N]> = &some(2);
    let (at, bt) = (&tensor!([k, i] = a[i, k]), &tensor!([j, k] = b[k, j]));
    let c: &StaticTensor<T, Shape![M, N]> = &some(3);
    let (x, y, z) = (&a.to_tensor().unwrap(), &b.to_tensor().unwrap(), &c.to_tensor().unwrap());
    let expected = tensor!([i, j] = x[i, k] * y[k, j]);
    same(&tensor!([i, j] = a[i, k] * b[k, j]), &expected);
    same(&tensor!([i, j] = b[k, j] * a[i, k]), &expected);
    same(&tensor!([i, j] = at[k, i] * b[k, j]), &expected);
    same(&tensor!([i, j] = a[i, k] * bt[j, k]), &expected);
    same(&tensor!([i, j] = at[k, i] * bt[j, k]), &expected);
    same(&tensor!([j, i] = a[i, k] * b[k, j]), &tensor!([j, i] = x[i, k] * y[k, j]));
    same(&tensor!([i, j] = -alpha * a[i, k] * b[k, j]), &tensor!([i, j] = -alpha * x[i, k] * y[k, j]));
    same(&tensor!([i, j] = 2.0 * c[i, j] - a[i, k] * b[k, j]), &tensor!([i, j] = 2.0 * z[i, j] - x[i, k] * y[k, j]));
    let mut sum = *c;
    tensor!(sum[i, j] += a[i, k] * b[k, j]);
    same(&sum, &tensor!([i, j] = z[i, j] + x[i, k] * y[k, j]));
}

fn all<const M: usize, const K: usize, const N: usize>() {
    products::<f32, M, K, N>(0.5);
    products::<f64, M, K, N>(-1.5);
    products::<Complex<f32>, M, K, N>(Complex::new(0.5, 0.25));
    products::<Complex<f64>, M, K, N>(Complex::new(0.0, -1.0));
}

macro_rules! squares {
    ($($N:literal)*) => { $(products::<f64, $N, $N, $N>(1.25);)* };
}

#[test]
fn squares_agree() {
    squares!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24);
}

#[test]
fn all_element_types_agree() {
    all::<4, 4, 4>();
    all::<5, 5, 5>();
    all::<9, 9, 9>();
    all::<7, 3, 18>();
}

#[test]
fn long_operands_are_not_transposed() {
    products::<f64, 3, 40, 33>(2.0);
}

/// Batches, several summed labels, parts, and a position that the run gives.
#[test]
fn labels_of_every_kind_agree() {
    let a: &StaticTensor<f64, Shape![3, 6, 5, 4]> = &some(1);
    let b: &StaticTensor<f64, Shape![5, 4, 3, 7]> = &some(2);
    let q: &StaticTensor<f64, Shape![9, 9]> = &some(3);
    let n = 2;
    let (x, y, z) = (&a.to_tensor().unwrap(), &b.to_tensor().unwrap(), &q.to_tensor().unwrap());
    same(&tensor!([p, i, j] = a[p, i, k, l] * b[k, l, p, j]), &tensor!([p, i, j] = x[p, i, k, l] * y[k, l, p, j]));
    same(&tensor!([i, p, j] = a[p, i, k, l] * b[k, l, p, j]), &tensor!([i, p, j] = x[p, i, k, l] * y[k, l, p, j]));
    same(&tensor!([p, o, i, j] = a[p, i, k, l] * b[k, l, o, j]), &tensor!([p, o, i, j] = x[p, i, k, l] * y[k, l, o, j]));
    same(&tensor!([i, j] = a[p, i, k, l] * b[k, l, p, j]), &tensor!([i, j] = x[p, i, k, l] * y[k, l, p, j]));
    same(&tensor!([i, l, j] = a[0, i, k, l] * b[k, l, { n }, j]), &tensor!([i, l, j] = x[0, i, k, l] * y[k, l, { n }, j]));
    same(
        &tensor!([i, j] = q[i in 2..8, k in 1..9] * q[k in 0..8, j]),
        &tensor!([i, j] = z[i in 2..8, k in 1..9] * z[k in 0..8, j]),
    );
    same(&tensor!([i, j] = q[i, k] * q[k, j] * q[k, k]), &tensor!([i, j] = z[i, k] * z[k, j] * z[k, k]));
    same(&tensor!([i, j] = q[i, k] * q[j, j] * q[k, j]), &tensor!([i, j] = z[i, k] * z[j, j] * z[k, j]));
    same(&tensor!([i, i] = q[i, k] * q[k, i]), &tensor!([i, i] = z[i, k] * z[k, i]));
    same(&tensor!([i, j] = exp(sum(k; 0.01 * q[i, k] * q[k, j]))), &tensor!([i, j] = exp(sum(k; 0.01 * z[i, k] * z[k, j]))));
}

/// More labels, operands and axes than have names in expansions: seven operands, ten labels, five axes.
#[test]
fn many_labels_and_operands_agree() {
    let w: &StaticTensor<f64, Shape![2, 3, 2, 2, 3]> = &some(1);
    let [b, c, d, e, f]: &[StaticTensor<f64, Shape![3, 3]>; 5] = &[2, 3, 4, 5, 6].map(some);
    let g: &StaticTensor<f64, Shape![3, 2, 2]> = &some(7);
    let x = &w.to_tensor().unwrap();
    let [p, q, r, s, t] = &[b, c, d, e, f].map(|factor| factor.to_tensor().unwrap());
    let y = &g.to_tensor().unwrap();
    same(
        &tensor!([i, z] = w[i, j, k, l, m] * b[m, n] * c[n, o] * d[o, u] * e[u, v] * f[v, z] * g[j, k, l]),
        &tensor!([i, z] = x[i, j, k, l, m] * p[m, n] * q[n, o] * r[o, u] * s[u, v] * t[v, z] * y[j, k, l]),
    );
}

/// Expansions have names for eight labels, six operands and four axes; what goes beyond is written in numbers.
#[test]
fn many_labels_operands_and_axes_agree() {
    let a: &StaticTensor<f64, Shape![2, 3, 2, 2, 2]> = &some(1);
    let b: &StaticTensor<f64, Shape![2, 2, 2, 3, 2]> = &some(2);
    let c: &StaticTensor<f64, Shape![3, 2, 2, 2]> = &some(3);
    let (x, y, z) = (&a.to_tensor().unwrap(), &b.to_tensor().unwrap(), &c.to_tensor().unwrap());
    same(
        &tensor!([h, i, b, a] = a[a, b, c, d, e] * b[e, d, c, f, g] * c[f, g, h, i]),
        &tensor!([h, i, b, a] = x[a, b, c, d, e] * y[e, d, c, f, g] * z[f, g, h, i]),
    );
    let v: [&StaticTensor<f64, Shape![2]>; 7] = [&some(1), &some(2), &some(3), &some(4), &some(5), &some(6), &some(7)];
    let [v0, v1, v2, v3, v4, v5, v6] = v;
    let w = v.map(|v| v.to_tensor().unwrap());
    let [w0, w1, w2, w3, w4, w5, w6] = &w;
    same(
        &tensor!([i, j] = v0[i] * v1[i] * v2[j] * v3[j] * v4[i] * v5[j] * v6[i]),
        &tensor!([i, j] = w0[i] * w1[i] * w2[j] * w3[j] * w4[i] * w5[j] * w6[i]),
    );
}

#[test]
fn nine_indices_of_one_operand() {
    let a = Tensor::<f64>::from_fn([2; 9], |i| i.iter().fold(0, |n, i| 2 * n + i) as f64).unwrap();
    let turned: Tensor<f64> = tensor!([i, h, g, f, e, d, c, b, a] = a[a, b, c, d, e, f, g, h, i]).into_dyn();
    assert_eq!(turned.view(), a.permute(&[8, 7, 6, 5, 4, 3, 2, 1, 0]).unwrap());
}
