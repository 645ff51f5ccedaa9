//! `cholesky` and `eigh`, judged by the identities that define them.

use super::{Outcome, assert_close, assert_type, sample};
use num_complex::Complex;
use tensorwrapper::prelude::*;

/// A batch of symmetric positive definite matrices, axes `[batch, row, column]`.
fn definite(batch: usize, n: usize) -> Tensor<f64> {
    let g = sample::<Shape>([batch, n, n], n);
    let mut a = tensor!([b, i, j] = g[b, i, k] * g[b, j, k]).into_dyn();
    tensor!(a[b, i, i] += 1[b, i]);
    a
}

/// A Hermitian matrix that is positive definite.
fn hermitian(n: usize) -> Tensor<Complex<f64>> {
    let g = Tensor::<Complex<f64>>::from_fn([n, n], |x| Complex::cis((3 * x[0] + x[1] * x[1]) as f64)).unwrap();
    let mut a = tensor!([i, j] = g[i, k] * conj(g[j, k])).into_dyn();
    tensor!(a[i, i] += 1[i]);
    a
}

#[test]
fn cholesky_in_every_form() -> Outcome {
    let a = definite(1, 3).view().chip(0, 0)?.to_tensor()?;
    let l = tensor!([i, k] = cholesky(a[i, j]));
    assert_close(&tensor!([i, j] = l[i, k] * l[j, k]), &a);
    assert_eq!((l[[0, 1]], l[[0, 2]], l[[1, 2]]), (0.0, 0.0, 0.0));
    // Rows may come second, and the new index first.
    let l2 = tensor!([k, i] = cholesky(a[j, i]));
    assert_close(&tensor!([i, k] = l2[k, i]), &l);
    // A batch: row and column are named.
    let a = definite(4, 3);
    let l = tensor!([b, i, k] = cholesky(i, j; a[b, i, j]));
    assert_close(&tensor!([b, i, j] = l[b, i, k] * l[b, j, k]), &a);
    let turned = tensor!([k, b, i] = cholesky(i, j; a[b, i, j]));
    assert_close(&tensor!([b, i, k] = turned[k, b, i]), &l);
    // Complex, of an expression, in a block.
    let h = hermitian(3);
    let product = tensor! {
        let l[i, k] = cholesky(0.5 * (h[i, j] + conj(h[j, i])));
        [i, j] = l[i, k] * conj(l[j, k])
    };
    assert_close(&product, &h);
    let c: Tensor<f64, Shape![2, 2]> = Tensor::from_vec((Const, Const), vec![4.0, 2.0, 2.0, 5.0])?;
    let l = tensor!([i, k] = cholesky(c[i, j]));
    assert_type::<Tensor<f64, Shape![2, 2]>>(&l);
    assert_eq!(l.as_slice(), [2.0, 0.0, 1.0, 2.0]);
    Ok(())
}

#[test]
fn eigh_standard() -> Outcome {
    let f = definite(1, 4).view().chip(0, 0)?.to_tensor()?;
    let (e, c) = tensor!(([n], [p, n]) = eigh(f[p, q]));
    assert!(e.as_slice().is_sorted());
    assert_close(&tensor!([p, n] = f[p, q] * c[q, n]), &tensor!([p, n] = c[p, n] * e[n]));
    let one = tensor!([m, n] = c[p, m] * c[p, n]);
    assert_close(&one, &tensor!([n, n] = 1[n] where n: 4));
    let fixed: Tensor<f64, Shape![2, 2]> = Tensor::from_vec((Const, Const), vec![2.0, 1.0, 1.0, 2.0])?;
    let (e, c) = tensor!(([n], [n, p]) = eigh(fixed[p, q]));
    assert_type::<(Tensor<f64, Shape![2]>, Tensor<f64, Shape![2, 2]>)>(&(e.clone(), c));
    assert_close(&e, &Tensor::<f64>::from_vec([2], vec![1.0, 3.0])?);
    Ok(())
}

#[test]
fn eigh_generalised_and_batched() -> Outcome {
    let (f, s) = (definite(3, 2), definite(3, 2));
    let s = tensor!([b, p, q] = s[b, p, q] + f[b, p, q] * 0.25);
    let (e, c) = tensor!(([b, n], [b, p, n]) = eigh(f[b, p, q], s[b, p, q]));
    assert_close(&tensor!([b, p, n] = f[b, p, q] * c[b, q, n]), &tensor!([b, p, n] = s[b, p, q] * c[b, q, n] * e[b, n]));
    let one = tensor!([b, m, n] = c[b, p, m] * s[b, p, q] * c[b, q, n]);
    assert_close(&one, &tensor!([b, n, n] = 1[b, n] where b: 3, n: 2));
    // Any order of axes.
    let (e2, c2) = tensor!(([n, b], [n, p, b]) = eigh(f[b, p, q], s[b, p, q]));
    assert_close(&tensor!([b, n] = e2[n, b]), &e);
    assert_close(&tensor!([b, p, n] = c2[n, p, b]), &c);
    Ok(())
}

#[test]
fn eigh_complex_in_a_block() {
    let h = hermitian(3);
    let (e, c, energy) = tensor! {
        let (e[n], c[p, n]) = eigh(h[p, q]);
        let energy = sum(n; e[n]);
        (e, c, energy)
    };
    assert_type::<Tensor<f64, Shape![_]>>(&e);
    assert_type::<Tensor<Complex<f64>, Shape![_, _]>>(&c);
    let trace = tensor!([] = h[p, p]);
    assert!((trace - energy).norm() < 1e-12);
    let back = tensor!([p, q] = c[p, n] * (complex(&e))[n] * conj(c[q, n]));
    assert_close(&back, &h);
}

fn complex<S: Extents>(x: &Tensor<f64, S>) -> Tensor<Complex<f64>> {
    Tensor::from_vec(x.extents().to_vec(), x.as_slice().iter().map(|&x| x.into()).collect()).unwrap()
}

/// The density matrix of a mean field: one graph from matrix to energy.
#[test]
fn results_are_operands_of_the_same_block() -> Outcome {
    let (h, s) = (definite(1, 3).view().chip(0, 0)?.to_tensor()?, definite(2, 3).view().chip(0, 1)?.to_tensor()?);
    let occupied = 2;
    let (d, energy) = tensor! {
        where i: occupied;
        let (eps[n], c[p, n]) = eigh(h[p, q], s[p, q]);
        let d[p, q] = 2.0 * c[p, i in ..occupied] * c[q, i in ..occupied];
        let energy = 2.0 * eps[i in ..occupied] * 1[i];
        (d, energy)
    };
    assert!((tensor!([] = d[p, q] * h[p, q]) - energy).abs() < 1e-12);
    assert!((tensor!([] = d[p, q] * s[p, q]) - 4.0).abs() < 1e-12);
    Ok(())
}

/// The extent that a block's `where` gives to an index of all its equations is that of the matrix which makes the index.
#[test]
fn extents_of_new_indices_are_compared() {
    let s = Tensor::<f64>::from_fn([3, 3], |i| 1.0 / (1 + i[0] + i[1]) as f64).unwrap();
    let values = try_tensor! { where p, n: 3; let (e[n], x[p, n]) = eigh(s[p, q]); let twice[n] = 2.0 * e[n]; twice };
    assert_eq!(values.unwrap().extents(), [3]);
    let told = try_tensor! { where n: 4; let (e[n], x[p, n]) = eigh(s[p, q]); e }.unwrap_err().to_string();
    assert_eq!(told, "index `n` has extent 3 in `eigh` but 4 in `where`");
    let told = try_tensor! { where r: 2; let (q[i, r], u[r, j]) = qr(s[i, j]); u }.unwrap_err().to_string();
    assert_eq!(told, "index `r` has extent 3 in `qr` but 2 in `where`");
    // Labels that are declared together with one that `svd` makes.
    let u = try_tensor! { where i, j, r: 3; let (u[i, r], x[r], v[r, j]) = svd(s[i, j]); u };
    assert_eq!(u.unwrap().extents(), [3, 3]);
}
