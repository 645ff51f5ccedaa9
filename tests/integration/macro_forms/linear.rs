//! Operations of linear algebra beside `cholesky` and `eigh`, judged by the identities that define them.

use super::{Outcome, assert_close, assert_type, sample};
use num_complex::Complex;
use tensorwrapper::prelude::*;

type C = Complex<f64>;

/// A complex tensor of numbers without order.
fn complex(extents: &[usize], seed: usize) -> Tensor<C> {
    let (a, b) = (sample::<Shape>(extents.to_vec(), seed), sample::<Shape>(extents.to_vec(), seed + 7));
    let elements = a.as_slice().iter().zip(b.as_slice()).map(|(&x, &y)| C::new(x, y)).collect();
    Tensor::from_vec(extents.to_vec(), elements).unwrap()
}

fn wide<S: Extents>(x: &Tensor<f64, S>) -> Tensor<C> {
    Tensor::from_vec(x.extents().to_vec(), x.as_slice().iter().map(|&x| x.into()).collect()).unwrap()
}

#[test]
fn svd_of_groups_of_axes() {
    let t = complex(&[2, 3, 4, 2], 3);
    let (u, s, v) = tensor!(([l, a, r], [r], [r, b, q]) = svd(t[l, a, b, q]));
    assert_type::<(Tensor<C, Shape![_, _, _]>, Tensor<f64, Shape![_]>, Tensor<C, Shape![_, _, _]>)>(&(
        u.clone(),
        s.clone(),
        v.clone(),
    ));
    assert_eq!((u.extents(), s.extents(), v.extents()), (&[2, 3, 6][..], &[6][..], &[6, 4, 2][..]));
    assert!(s.as_slice().is_sorted_by(|a, b| a >= b));
    let s = wide(&s);
    assert_close(&tensor!([l, a, b, q] = u[l, a, r] * s[r] * v[r, b, q]), &t);
    let one = tensor!([r, r] = 1[r] where r: 6);
    assert_close(&tensor!([r, x] = conj(u[l, a, r]) * u[l, a, x]), &wide(&one));
    assert_close(&tensor!([r, x] = v[r, b, q] * conj(v[x, b, q])), &wide(&one));
    // Other orders of the same axes, and axes that are taken apart.
    let (u2, s2, v2) = tensor!(([r, a, l], [r], [q, r, b]) = svd(t[l, a, b, q]));
    assert_close(&tensor!([l, a, r] = u2[r, a, l]), &u);
    assert_close(&tensor!([r, b, q] = v2[q, r, b]), &v);
    assert_close(&wide(&s2), &s);
    let m = t.clone().reshape::<Shape>([6, 8]).unwrap();
    let (u3, _, _) = tensor!(([l, a, r], [r], [r, b, q]) = svd(m[(l, a), (b, q)]) where l: 2, b: 4);
    assert_close(&u3, &u);
}

#[test]
fn svd_cut_by_rank_and_by_weight() -> Outcome {
    let t = sample::<Shape>([6, 5], 4);
    let (_, all, _) = tensor!(([i, r], [r], [r, j]) = svd(t[i, j]));
    let weight = |kept: usize| {
        let square = |s: &[f64]| s.iter().map(|s| s * s).sum::<f64>();
        square(&all.as_slice()[kept..]) / square(all.as_slice())
    };
    let most = 2;
    let (u, s, v, lost) = tensor!(([i, r], [r], [r, j], []) = svd(t[i, j]; max = most));
    assert_eq!((u.extents(), s.extents(), v.extents()), (&[6, 2][..], &[2][..], &[2, 5][..]));
    assert!((lost - weight(2)).abs() < 1e-13, "{lost} {}", weight(2));
    for kept in 1..=5 {
        let tol = weight(kept) * (1.0 + 1e-9) + 1e-300;
        let (u, s, v, lost) = tensor! {
            let (u[i, r], s[r], v[r, j], lost) = svd(t[i, j]; tol = tol);
            (u, s, v, lost)
        };
        assert_eq!(s.extents(), [kept]);
        assert!((lost - weight(kept)).abs() < 1e-13);
        let back = tensor!([i, j] = u[i, r] * s[r] * v[r, j]);
        let error = tensor!([] = sum(i, j; powi(back[i, j] - t[i, j], 2)));
        assert!((error / tensor!([] = t[i, j] * t[i, j]) - lost).abs() < 1e-13);
    }
    // What is kept is an operand of the same block, whose extents depend on elements.
    for (tol, kept) in [(weight(3) * 1.01, 3), (weight(1) * 1.01, 1), (weight(3) * 1.01, 3)] {
        let (back, root, count) = tensor! {
            let (u[i, r], s[r], v[r, j]) = svd(2.0 * t[i, j]; max = 4, tol = tol);
            let back[i, j] = 0.5 * u[i, r] * s[r] * v[r, j];
            let root[r] = sqrt(s[r]);
            let count = 1[r] * s[r] / s[r];
            (back, root, count)
        };
        assert_eq!((root.extents(), count), (&[kept][..], kept as f64));
        let error = tensor!([] = sum(i, j; powi(back[i, j] - t[i, j], 2))) / tensor!([] = t[i, j] * t[i, j]);
        assert!((error - weight(kept)).abs() < 1e-13);
    }
    // One rank for all of a batch, and the weight of each.
    let b = sample::<Shape>([3, 4, 5], 9);
    let (_, s, _, lost) = tensor!(([b, i, r], [b, r], [r, j, b], [b]) = svd(b[b, i, j]; tol = 0.05));
    assert!((1..4).contains(&s.extents()[1]) && lost.as_slice().iter().all(|&lost| lost <= 0.05), "{s} {lost}");
    Ok(())
}

#[test]
fn svd_full_and_extents_known_to_the_compiler() -> Outcome {
    let t: Tensor<f64, Shape![4, 3]> = Tensor::from_vec((Const, Const), sample::<Shape>([4, 3], 5).into_vec())?;
    let (u, s, v) = tensor!(([i, r], [r], [r, j]) = svd(t[i, j]));
    assert_type::<(Tensor<f64, Shape![4, 3]>, Tensor<f64, Shape![3]>, Tensor<f64, Shape![3, 3]>)>(&(u, s.clone(), v));
    let (u, s2, v) = tensor!(([i, m], [r], [n, j]) = svd(t[i, j]; full));
    assert_type::<(Tensor<f64, Shape![4, 4]>, Tensor<f64, Shape![3]>, Tensor<f64, Shape![3, 3]>)>(&(u.clone(), s2.clone(), v));
    assert_close(&s, &s2);
    assert_close(&tensor!([m, n] = u[i, m] * u[i, n]), &tensor!([m, m] = 1[m] where m: 4));
    let (u, _, _) = tensor!(([i, r], [r], [r, j]) = svd(t[i, j]; max = 2));
    assert_type::<Tensor<f64, Shape![4, _]>>(&u);
    Ok(())
}

#[test]
fn qr_and_lq() -> Outcome {
    let a = complex(&[2, 3, 4], 6);
    let (q, r) = tensor!(([b, i, k], [b, k, j]) = qr(a[b, i, j]));
    assert_close(&tensor!([b, i, j] = q[b, i, k] * r[b, k, j]), &a);
    assert!(
        (0..2)
            .all(|b| (0..3).all(|k| r[[b, k, k]].re >= 0.0 && r[[b, k, k]].im == 0.0 && (0..k).all(|j| r[[b, k, j]] == C::ZERO)))
    );
    let (l, q) = tensor!(([k, i, b], [b, k, j]) = lq(a[b, i, j]));
    assert_close(&tensor!([b, i, j] = l[k, i, b] * q[b, k, j]), &a);
    let unit = tensor!([b, k, k] = 1[b, k] where b: 2, k: 3);
    assert_close(&tensor!([b, k, m] = q[b, k, j] * conj(q[b, m, j])), &wide(&unit));
    let (q, r) = tensor!(([b, i, k], [b, k, j]) = qr(a[b, j, i]; full));
    assert_eq!((q.extents(), r.extents()), (&[2, 4, 4][..], &[2, 4, 3][..]));
    assert_close(&tensor!([b, i, j] = q[b, i, k] * r[b, k, j]), &tensor!([b, i, j] = a[b, j, i]));
    let fixed: Tensor<f64, Shape![2, 3]> = Tensor::from_vec((Const, Const), vec![3.0, 1.0, 2.0, 4.0, 0.0, 1.0])?;
    let (q, r) = tensor!(([i, k], [k, j]) = qr(fixed[i, j]));
    assert_type::<(Tensor<f64, Shape![2, 2]>, Tensor<f64, Shape![2, 3]>)>(&(q, r));
    Ok(())
}

#[test]
fn systems_of_equations() {
    let (a, b) = (complex(&[3, 3, 2], 8), complex(&[2, 3, 4], 2));
    let x = tensor!([k, j, n] = solve(a[i, k, n], b[n, i, j]));
    assert_close(&tensor!([n, i, j] = a[i, k, n] * x[k, j, n]), &b);
    let y = tensor!([k, n] = solve(a[i, k, n], b[n, i, 0]));
    assert_close(&y, &tensor!([k, n] = x[k, 0, n]));
    let lower = tensor!([k, j, n] = triangular_solve(a[i, k, n], b[n, i, j]));
    let mask = |keep: fn(usize, usize) -> bool| {
        Tensor::<C>::from_fn([3, 3], |x| if keep(x[0], x[1]) { C::ONE } else { C::ZERO }).unwrap()
    };
    let m = mask(|i, j| i >= j);
    assert_close(&tensor!([n, i, j] = m[i, k] * a[i, k, n] * lower[k, j, n]), &b);
    let upper = tensor!([k, j, n] = triangular_solve(a[i, k, n], b[n, i, j]; upper, unit));
    let (m, one) = (mask(|i, j| i < j), mask(|i, j| i == j));
    assert_close(&tensor!([n, i, j] = (m[i, k] * a[i, k, n] + one[i, k] * 1[n]) * upper[k, j, n]), &b);
    let (a, b) = (complex(&[5, 2], 3), complex(&[5], 4));
    let x = tensor!([k] = lstsq(a[i, k], b[i]));
    let residual = tensor!([i] = a[i, k] * x[k] - b[i]);
    assert!(tensor!([k] = conj(a[i, k]) * residual[i]).as_slice().iter().all(|x| x.norm() < 1e-12));
    // Groups: the rows are (p, q), the columns (r, s).
    let diagonal = |x: &[usize]| if x[0] * 3 + x[1] == x[2] * 2 + x[3] { C::ONE } else { C::ZERO };
    let (t, one) = (complex(&[2, 3, 3, 2], 1), Tensor::<C>::from_fn([2, 3, 3, 2], diagonal).unwrap());
    let t = tensor!([p, q, r, s] = t[p, q, r, s] + one[p, q, r, s]);
    let b = complex(&[2, 3], 1);
    let x = tensor!([r, s] = solve(t[p, q, r, s], b[p, q]));
    assert_close(&tensor!([p, q] = t[p, q, r, s] * x[r, s]), &b);
}

#[test]
fn inverses_and_functions_of_matrices() {
    let a = complex(&[2, 3, 3], 8);
    let x = tensor!([b, j, i] = inv(i, j; a[b, i, j]));
    let one = wide(&tensor!([b, i, i] = 1[b, i] where b: 2, i: 3));
    assert_close(&tensor!([b, i, k] = a[b, i, j] * x[b, j, k]), &one);
    let cube = tensor!([b, i, j] = matpow(i, j; a[b, i, j], 3));
    assert_close(&cube, &tensor!([b, i, j] = a[b, i, k] * a[b, k, l] * a[b, l, j]));
    let n = -2;
    let m = a.view().chip(0, 1).unwrap().to_tensor().unwrap();
    let x = tensor!([j, i] = inv(m[i, j]));
    assert_close(&tensor!([i, j] = matpow(m[i, j], n)), &tensor!([i, j] = x[i, k] * x[k, j]));
    let (plus, minus) = (tensor!([i, j] = expm(m[i, j])), tensor!([i, j] = expm(-m[i, j])));
    assert_close(&tensor!([i, j] = plus[i, k] * minus[k, j]), &wide(&tensor!([i, i] = 1[i] where i: 3)));
    let w = complex(&[2, 4], 2);
    let p = tensor!([j, i] = pinv(w[i, j]));
    assert_close(&tensor!([i, j] = w[i, k] * p[k, l] * w[l, j]), &w);
}

#[test]
fn scalars_of_matrices() {
    let a = complex(&[2, 3, 3], 8);
    let d = tensor!([b] = det(a[b, i, j]));
    let (sign, log) = tensor!(([b], [b]) = slogdet(a[b, i, j]));
    let (values, vectors) = tensor!(([b, n], [b, p, n]) = eig(a[b, p, q]));
    assert_close(&tensor!([b] = prod(n; values[b, n])), &d);
    let size = wide(&log);
    assert_close(&tensor!([b] = sign[b] * exp(size[b])), &d);
    assert_close(&tensor!([b, p, n] = a[b, p, q] * vectors[b, q, n]), &tensor!([b, p, n] = vectors[b, p, n] * values[b, n]));
    assert_close(&tensor!([b] = trace(a[b, i, j])), &tensor!([b] = a[b, i, i]));
    let squares = tensor!([b] = re(a[b, i, j] * conj(a[b, i, j])));
    let norm: Tensor<f64, _> = tensor!([b] = norm(a[b, i, j]));
    assert_close(&wide(&tensor!([b] = norm[b] * norm[b])), &squares);
    let one: f64 = tensor!([] = rank(a[i, 0, j]));
    assert_eq!(one, 2.0);
    let x: f64 = tensor! { let x = norm(a[i, j, k]); x };
    assert!((x * x - tensor!([] = norm[b] * norm[b])).abs() < 1e-12);
}

/// What is summed and what is an axis of a norm, a trace or a matrix is said; `norm(a[i, k] * a[k, j])` is refused.
#[test]
fn summed_labels_and_matrix_axes_are_distinguished() {
    let a = complex(&[3, 3], 31);
    let p = tensor!([i, j] = a[i, k] * a[k, j]);
    let zero: f64 = tensor!([] = norm(sum(k; a[i, k] * a[k, j]) - p[i, j]));
    assert_eq!(zero, 0.0);
    let scaled: Tensor<f64, _> = tensor!([j] = norm(i, k; a[i, k] * a[k, j]));
    let cubes = tensor! { let x[i, k, j] = a[i, k] * a[k, j]; [j] = norm(x[i, k, j]) };
    assert_close(&wide(&scaled), &wide(&cubes));
    let trace = tensor!([] = trace(i, k; a[i, k] * a[k, i]));
    assert!((trace - tensor!([] = a[i, i] * a[i, i])).norm() < 1e-12);
    let masked = tensor!([] = det(i, j; a[i, j] * p[i, j]));
    let product = tensor! { let m[i, j] = a[i, j] * p[i, j]; [] = det(m[i, j]) };
    assert!((masked - product).norm() < 1e-12);
    let shifted = tensor!([] = det(a[i, j] - 1[i, j] * 0.5));
    let same = tensor! { let m[i, j] = a[i, j] - 0.5[i, j]; [] = det(m[i, j]) };
    assert!((shifted - same).norm() < 1e-12);
}

#[test]
fn lu_with_its_permutation() {
    for (rows, columns) in [(3, 3), (4, 2), (2, 5)] {
        let a = complex(&[rows, columns], rows);
        let (p, l, u) = tensor!(([i, q], [q, r], [r, j]) = lu(a[i, j]));
        assert_close(&tensor!([i, j] = p[i, q] * l[q, r] * u[r, j]), &a);
        assert!((0..rows.min(columns)).all(|k| l[[k, k]] == C::ONE));
    }
}

#[test]
fn recorded_blocks_take_no_tolerance() {
    let t = sample::<Shape>([3, 3], 1);
    let graph = Graph::new();
    let error = try_tensor! { in &graph; let (u[i, r], s[r], v[r, j]) = svd(t[i, j]; tol = 0.1); (u, s, v) }.unwrap_err();
    assert!(error.to_string().contains("only recorded"), "{error}");
    let s = tensor! { in &graph; let (u[i, r], s[r], v[r, j]) = svd(t[i, j]; max = 2); s };
    assert_eq!(s.eval().unwrap().extents(), [2]);
}
