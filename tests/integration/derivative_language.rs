//! `grad` in equations, against derivatives that are written by hand and against the methods of recorded results.

use num_complex::Complex;
use tensorwrapper::prelude::*;
use tensorwrapper::{Error, Extents};

type Matrix = Tensor<f64>;

/// A matrix of small numbers that repeat late.
fn numbers(extents: &[usize], seed: usize) -> Matrix {
    let strides: Vec<usize> = (0..extents.len()).map(|axis| 7 + 4 * axis).collect();
    let of = |index: &[usize]| index.iter().zip(&strides).map(|(i, stride)| i * stride).sum::<usize>();
    Tensor::from_fn(extents, |index| ((of(index) + 3 * seed) % 23) as f64 / 11.0 - 0.9).unwrap()
}

fn unit(extent: usize) -> Matrix {
    Tensor::from_fn([extent, extent], |index| f64::from(u8::from(index[0] == index[1]))).unwrap()
}

#[track_caller]
fn agree<S: Extents, Q: Extents>(found: &Tensor<f64, S>, expected: &Tensor<f64, Q>) {
    assert_eq!(found.extents(), expected.extents());
    let (found, expected) = (found.as_slice(), expected.as_slice());
    let scale = expected.iter().fold(1.0f64, |most, element| most.max(element.abs()));
    for (n, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= 1e-12 * scale, "element {n}: {a} is not {b}");
    }
}

#[test]
fn a_block_with_every_form() -> Result<(), Error> {
    let (a, b, w, v, d) =
        (numbers(&[3, 4], 1), numbers(&[4, 2], 2), numbers(&[3, 2], 3), numbers(&[3, 2], 4), numbers(&[3, 4], 5));
    let (l, g1, g2, p, push, hessian) = tensor! {
        let C[i, j] = a[i, k] * b[k, j];
        let L = w[i, j] * tanh(C[i, j]);
        let (g1[i, k], g2[k, j]) = grad(L; a[i, k], b[k, j]);
        let p[k, l] = v[i, j] * grad(C[i, j]; a[k, l]);
        let push[i, j] = grad(C[i, j]; a[k, l]) * d[k, l];
        let h[i, k] = grad(g1[i, k]; a[p, q]) * d[p, q];
        (L, g1, g2, p, push, h)
    };
    let c = tensor!([i, j] = a[i, k] * b[k, j]);
    let t = tensor!([i, j] = tanh(c[i, j]));
    assert!((l - tensor!([] = w[i, j] * t[i, j])).abs() < 1e-13);
    let slope = tensor!([i, j] = w[i, j] * (1.0 - powi(t[i, j], 2)));
    agree(&g1, &tensor!([i, k] = slope[i, j] * b[k, j]));
    agree(&g2, &tensor!([k, j] = slope[i, j] * a[i, k]));
    agree(&p, &tensor!([i, k] = v[i, j] * b[k, j]));
    let along = tensor!([i, j] = d[i, k] * b[k, j]);
    agree(&push, &along);
    let bent = tensor!([i, j] = -2.0 * w[i, j] * t[i, j] * (1.0 - powi(t[i, j], 2)) * along[i, j]);
    agree(&hessian, &tensor!([i, k] = bent[i, j] * b[k, j]));
    Ok(())
}

#[test]
fn all_derivatives_parts_and_divergences() {
    let (a, x) = (numbers(&[3, 3], 1), numbers(&[3], 2));
    let (jacobian, divergence, row, part, both, column) = tensor! {
        let F[i] = a[i, j] * x[j] * x[j] + 2.0 * x[i];
        let J[i, k] = grad(F[i]; x[k]);
        let D = grad(F[i]; x[i]);
        let R[k] = grad(F[1]; x[k]);
        let S[i, k] = grad(F[i]; x[k in 1..3]);
        let T[i, j] = grad(F[i]; x[0]) * x[j] / x[1];
        let B[i, k] = F[i] * grad(F[j]; a[i, k]) * x[j];
        (J, D, R, S, T, B)
    };
    let f = tensor!([i] = a[i, j] * x[j] * x[j] + 2.0 * x[i]);
    let unit = unit(3);
    let expected = tensor!([i, k] = 2.0 * a[i, k] * x[k] + 2.0 * unit[i, k]);
    agree(&jacobian, &expected);
    assert!((divergence - tensor!([] = expected[i, i])).abs() < 1e-13);
    agree(&row, &tensor!([k] = expected[1, k]));
    agree(&part, &tensor!([i, k] = expected[i, k in 1..3]));
    agree(&both, &tensor!([i, j] = expected[i, 0] * x[j] / x[1]));
    // The derivative of F[j] by a[i, k] is x[k]² where j is i.
    agree(&column, &tensor!([i, k] = f[i] * x[i] * x[k] * x[k]));
}

#[test]
fn many_weights_and_many_directions() {
    let (a, x, w, d) = (numbers(&[4, 3], 1), numbers(&[3], 2), numbers(&[2, 4], 3), numbers(&[3, 5], 4));
    let (weights, directions, outer) = tensor! {
        let y[i] = exp(sum(j; a[i, j] * x[j]));
        let V[n, j] = w[n, i] * grad(y[i]; x[j]);
        let D[m, i] = grad(y[i]; x[j]) * d[j, m];
        let O[n, m] = w[n, i] * grad(y[i]; x[j]) * d[j, m];
        (V, D, O)
    };
    let slope = tensor!([i, j] = exp(sum(k; a[i, k] * x[k])) * a[i, j]);
    agree(&weights, &tensor!([n, j] = w[n, i] * slope[i, j]));
    agree(&directions, &tensor!([m, i] = slope[i, j] * d[j, m]));
    agree(&outer, &tensor!([n, m] = w[n, i] * slope[i, j] * d[j, m]));
}

#[test]
fn updates_shadows_and_equal_names() {
    let (mut weights, before) = (numbers(&[2, 3], 1), numbers(&[2, 3], 1));
    let x = numbers(&[3], 2);
    tensor! {
        let y[i] = weights[i, j] * x[j];
        let L = 0.5 * y[i] * y[i];
        weights[i, j] -= 0.1 * grad(L; weights[i, j]);
    }
    let y = tensor!([i] = before[i, j] * x[j]);
    agree(&weights, &tensor!([i, j] = before[i, j] - 0.1 * y[i] * x[j]));
    // Results that have the names of the variables.
    let (a, b) = (numbers(&[2], 3), numbers(&[3], 4));
    let (old_a, old_b) = (a.clone(), b.clone());
    let (ga, gb) = tensor! {
        let L = a[i] * a[i] * sum(j; b[j]);
        let (b[j], a[i]) = grad(L; b[j], a[i]);
        (a, b)
    };
    agree(&ga, &tensor!([i] = 2.0 * old_a[i] * sum(j; old_b[j])));
    agree(&gb, &tensor!([j] = 1[j] * old_a[i] * old_a[i] where j: 3));
}

#[test]
fn recorded_results_in_value_form() -> Result<(), Error> {
    let (a, x) = (numbers(&[3, 3], 1), numbers(&[3], 2));
    let graph = Graph::new();
    let loss = tensor! {
        in &graph;
        let y[i] = a[i, j] * x[j];
        let L = y[i] * y[i] * y[i];
        L
    };
    let (by_a, by_x) = loss.grad((&a, &x))?;
    let (found_a, found_x) = tensor!(([i, j], [j]) = grad(loss; a[i, j], x[j]));
    agree(&found_a, &by_a.eval()?);
    agree(&found_x, &by_x.eval()?);
    let lazy = tensor! { in &graph; let g[j] = grad(loss; x[j]); g };
    agree(&lazy.eval()?, &by_x.eval()?);
    Ok(())
}

#[test]
fn shapes_are_those_of_the_variables() {
    let a = Tensor::<f64, Shape![3, 4]>::from_fn((Const, Const), |i| (i[0] + i[1]) as f64).unwrap();
    let x = Tensor::<f64, Shape![4]>::from_fn((Const,), |i| 1.0 + i[0] as f64).unwrap();
    let (g, j) = tensor! {
        let y[i] = a[i, j] * x[j];
        let L = y[i] * y[i];
        let g[j] = grad(L; x[j]);
        let J[i, j] = grad(y[i]; x[j]);
        (g, J)
    };
    let g: Tensor<f64, Shape![4]> = g;
    let j: Tensor<f64, Shape![3, 4]> = j;
    agree(&j, &a);
    agree(&g, &tensor!([j] = 2.0 * a[i, j] * a[i, k] * x[k]));
}

#[test]
fn complex_variables() {
    type C = Complex<f64>;
    let z = Tensor::<C>::from_fn([3], |i| C::new(1.0 + i[0] as f64, 0.5 - i[0] as f64)).unwrap();
    let w = Tensor::<C>::from_fn([3], |i| C::new(0.3 * i[0] as f64, 1.0)).unwrap();
    let (gradient, jacobian, pulled, pushed) = tensor! {
        let y[i] = z[i] * z[i] * w[j] * z[j];
        let L = cast(f64; re(conj(y[i]) * y[i]));
        let g[i] = grad(L; z[i]);
        let J[i, k] = grad(y[i]; z[k]);
        let p[k] = w[i] * grad(y[i]; z[k]);
        let d[i] = grad(y[i]; z[k]) * w[k];
        (g, J, p, d)
    };
    let s = tensor!([] = w[j] * z[j]);
    let unit = Tensor::<C>::from_fn([3, 3], |i| C::new(f64::from(u8::from(i[0] == i[1])), 0.0)).unwrap();
    let all = tensor!([i, k] = 2.0 * z[i] * unit[i, k] * s + z[i] * z[i] * w[k]);
    let near = |a: &Tensor<C>, b: &Tensor<C>| {
        let is_near = |(a, b): (&C, &C)| (a - b).norm() < 1e-11 * (1.0 + b.norm());
        assert!(a.as_slice().iter().zip(b.as_slice()).all(is_near), "{a:?} {b:?}");
    };
    near(&jacobian.into_dyn(), &all.clone().into_dyn());
    near(&pulled.into_dyn(), &tensor!([k] = w[i] * all[i, k]).into_dyn());
    near(&pushed.into_dyn(), &tensor!([i] = all[i, k] * w[k]).into_dyn());
    // ∂L/∂Re z + i·∂L/∂Im z of |y|² is 2·Σ conj(∂y/∂z)·y.
    let y = tensor!([i] = z[i] * z[i] * s);
    near(&gradient.into_dyn(), &tensor!([k] = 2.0 * conj(all[i, k]) * y[i]).into_dyn());
}

/// One call of a place of the program whose operands are once two tensors and once the same.
fn by_first(a: &Matrix, b: &Matrix) -> Matrix {
    tensor! {
        let L = a[i] * b[i] * b[i];
        let g[i] = grad(L; a[i]);
        g
    }
    .into_dyn()
}

#[test]
fn kept_plans_know_which_operands_are_the_same() {
    let (a, b) = (numbers(&[5], 1), numbers(&[5], 2));
    for _ in 0..3 {
        agree(&by_first(&a, &b), &tensor!([i] = b[i] * b[i]));
        agree(&by_first(&a, &a), &tensor!([i] = 3.0 * a[i] * a[i]));
        agree(&by_first(&b, &a), &tensor!([i] = a[i] * a[i]));
    }
}

#[test]
fn what_is_refused() {
    let (a, x, y) = (numbers(&[3, 3], 1), numbers(&[3], 2), numbers(&[3], 3));
    let said = |result: Result<Matrix, Error>| result.unwrap_err().to_string();
    let independent = try_tensor! { let L = a[i, j] * x[j] * x[i]; let g[i] = grad(L; y[i]); g };
    let sentence = said(independent.map(Tensor::into_dyn));
    assert!(sentence.starts_with("`L` does not depend on `y`"), "{sentence}");
    let z = Tensor::<Complex<f64>>::zeros([3]).unwrap();
    let turned = try_tensor! { let w[i] = conj(z[i]) * z[i]; let J[i, k] = grad(w[i]; z[k]); J };
    let sentence = turned.unwrap_err().to_string();
    assert!(sentence.starts_with("the derivative of `w` by `z`, which passes `conj`"), "{sentence}");
    let short = numbers(&[2], 1);
    let mismatch = try_tensor! { let L = x[i] * x[i]; let g[i] = short[i] * grad(L; x[i]); g };
    assert!(said(mismatch.map(Tensor::into_dyn)).contains("index `i` has extent 2 in `short` but 3 in `x`"));
}

/// The gradient of what is no number: the message says how a tensor is weighed.
#[test]
fn the_gradient_of_a_tensor() {
    let (a, x) = (numbers(&[2, 3], 1), numbers(&[3], 2));
    let y = (a.at("ij") * x.at("j")).record("i").unwrap();
    let found = try_tensor! {
        let g[j] = grad(y; x[j]);
        g
    };
    let error = found.unwrap_err().to_string();
    assert!(error.contains("`y` has rank 1 but 0 indices are given"), "{error}");
    assert!(error.contains("weigh the tensor, as in `W[i, j] * grad(Y[i, j]; x[k])`"), "{error}");
}

/// `broaden` in equations, as a number and as a variable: the value is the same, and there is a derivative at equal eigenvalues.
#[test]
fn equal_eigenvalues_that_derivatives_take_apart() {
    let a: Tensor<f64, Shape![_, _]> = Tensor::from_fn((3, 3), |i| f64::from(u8::from(i[0] == i[1]))).unwrap();
    let w = numbers(&[3], 4);
    let part = 1e-3;
    let found = try_tensor! {
        let b[i, j] = 0.5 * (a[i, j] + a[j, i]);
        let (e[n], c[p, n]) = eigh(b[p, q]; broaden = part);
        let (f[n], d[p, n]) = eigh(b[p, q]; broaden = 1e-3);
        let L = c[p, 0] * w[p] * e[0];
        let M = d[p, 0] * w[p] * f[0];
        let g[i, j] = grad(L; a[i, j]);
        let h[i, j] = grad(M; a[i, j]);
        (L, M, g, h)
    };
    let (value, other, by_variable, by_number) = found.unwrap();
    assert_eq!((value, by_variable.as_slice()), (other, by_number.as_slice()));
    assert!(by_variable.as_slice().iter().all(|x: &f64| x.is_finite()));
    let refused = try_tensor! {
        let b[i, j] = 0.5 * (a[i, j] + a[j, i]);
        let (_e[n], c[p, n]) = eigh(b[p, q]);
        let L = c[p, 0] * w[p];
        let g[i, j] = grad(L; a[i, j]);
        g
    };
    let error = refused.unwrap_err().to_string();
    assert!(error.contains("states 0 and 1 have values that are equal"), "{error}");
}

/// A truncation by a tolerance is computed while it is recorded, to know its extents. Its derivative is that of the truncation to as many.
#[test]
fn truncations_by_a_tolerance() -> Result<(), Error> {
    let a = numbers(&[4, 3], 3);
    let (by_tolerance, by_number) = (
        tensor! {
            let (u[i, r], s[r], v[r, j]) = svd(a[i, j]; tol = 1e-10);
            let L = sum(r; s[r]) + a[i, j] * a[i, j];
            let g[i, j] = grad(L; a[i, j]);
            g
        },
        tensor! {
            let (u[i, r], s[r], v[r, j]) = svd(a[i, j]; max = 3);
            let L = sum(r; s[r]) + a[i, j] * a[i, j];
            let g[i, j] = grad(L; a[i, j]);
            g
        },
    );
    agree(&by_tolerance, &by_number);
    let (u, _, v) = tensor!(([i, r], [r], [r, j]) = svd(a[i, j]; tol = 1e-10));
    agree(&by_tolerance, &tensor!([i, j] = u[i, r] * v[r, j] + 2.0 * a[i, j]));
    // Fewer values than there are.
    let (s, g) = tensor! {
        let (u[i, r], s[r], v[r, j]) = svd(a[i, j]; tol = 0.5);
        let L = sum(r; powi(s[r], 2));
        let g[i, j] = grad(L; a[i, j]);
        (s, g)
    };
    assert!(s.extents()[0] < 3, "{s}");
    let kept = s.extents()[0];
    let by_number = tensor! {
        let (u[i, r], s[r], v[r, j]) = svd(a[i, j]; max = kept);
        let L = sum(r; powi(s[r], 2));
        let g[i, j] = grad(L; a[i, j]);
        g
    };
    agree(&g, &by_number);
    // All matrices of a batch keep as many.
    let batch = Tensor::<f64, _>::from_fn((2, 2, 2), |at| (1 + 3 * at[0] + at[1] + 2 * at[1] * at[2]) as f64)?;
    let (by_tolerance, by_number) = (
        tensor! {
            let (u[n, i, r], s[n, r], v[n, r, j]) = svd(batch[n, i, j]; tol = 1e-3);
            let L = sum(n, r; powi(s[n, r], 3));
            let g[n, i, j] = grad(L; batch[n, i, j]);
            g
        },
        tensor! {
            let (u[n, i, r], s[n, r], v[n, r, j]) = svd(batch[n, i, j]; max = 2);
            let L = sum(n, r; powi(s[n, r], 3));
            let g[n, i, j] = grad(L; batch[n, i, j]);
            g
        },
    );
    agree(&by_tolerance, &by_number);
    // Beside integers, whose equations are computed at once.
    let count = Tensor::<i64, _>::from_array([3, 1])?;
    let (total, g) = tensor! {
        let total = sum(i; count[i]);
        let (u[n, i, r], s[n, r], v[n, r, j]) = svd(batch[n, i, j]; tol = 1e-3);
        let L = sum(n, r; cast(count[n]) * powi(s[n, r], 3));
        let g[n, i, j] = grad(L; batch[n, i, j]);
        (total, g)
    };
    assert_eq!(total, 4);
    let weights: Matrix = count.cast::<f64>()?.into_typed()?;
    agree(&g, &tensor!([n, i, j] = weights[n] * by_number[n, i, j]));
    Ok(())
}

/// Integers beside what is differentiated: equations over them are computed at once, and all others are recorded, too.
#[test]
fn integers_beside_derivatives() -> Result<(), Error> {
    let (v, n) = (numbers(&[3], 2), Tensor::<i64, _>::from_array([2, -1, 5])?);
    let weights: Matrix = n.cast::<f64>()?.into_typed()?;
    let expected = tensor!([i] = 2.0 * weights[i] * v[i]);
    let g = tensor! { let L = sum(i; cast(n[i]) * v[i] * v[i]); let g[i] = grad(L; v[i]); g };
    agree(&g, &expected);
    let g = tensor! { let y[i] = cast(n[i]) * v[i]; let L = y[i] * v[i]; let g[i] = grad(L; v[i]); g };
    agree(&g, &expected);
    // An equation over integers that the derivative does not read, and one that later equations read.
    let (total, g, twice, h) = tensor! {
        let total = sum(i; n[i]);
        let even[i] = 2 * n[i];
        let L = cast(even[i]) * v[i] * v[i];
        let g[i] = grad(L; v[i]);
        let twice[i] = 3 * even[i];
        let h[i] = grad(g[i]; v[j]) * v[j] + cast(twice[i]);
        (total, g, twice, h)
    };
    assert_eq!((total, twice.as_slice()), (6, &[12, -6, 30][..]));
    agree(&g, &tensor!([i] = 2.0 * expected[i]));
    agree(&h, &tensor!([i] = 2.0 * expected[i] + 6.0 * weights[i]));
    // Conditions on integers, and what is written into a tensor.
    let mut target = numbers(&[3], 4);
    let before = target.clone();
    tensor! {
        let L = sum(i; select(iota[i] < cast(n[i]); v[i] * v[i], v[i]));
        target[i] += grad(L; v[i]);
    };
    let slopes = Tensor::from_fn([3], |at| [2.0 * v[[0]], 1.0, 2.0 * v[[2]]][at[0]])?;
    agree(&target, &tensor!([i] = before[i] + slopes[i]));
    // What does not depend on it is said as ever.
    let told = try_tensor! { let L = sum(i; cast(n[i]) * before[i]); let g[i] = grad(L; v[i]); g }.unwrap_err().to_string();
    assert!(told.contains("does not depend on `v`"), "{told}");
    Ok(())
}
