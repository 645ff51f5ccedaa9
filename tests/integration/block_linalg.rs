//! Operations of linear algebra in equations over block tensors, against the same over dense ones.

use tensorwrapper::prelude::*;
use tensorwrapper::{Blocks, Structure, Symmetry, Tiling, Truncation};

/// A tensor of four axes that conserves a charge: what enters by the first two axes leaves by the last two.
fn theta() -> Blocks<f64, Shape![_, _, _, _]> {
    let spin = Tiling::cuts([1, 1]).charged([1, -1]).unwrap();
    let bond = Tiling::cuts([1, 2, 1]).charged([-1, 0, 1]).unwrap();
    let structure = Structure::new([&bond, &spin, &spin, &bond]).flow([1, 1, -1, -1], 0).unwrap();
    Blocks::from_fn(&structure, |i| ((i[0] + 2 * i[1] + 3 * i[2] * i[3]) as f64).sin()).unwrap().into_typed().unwrap()
}

/// A symmetric positive definite matrix in two sectors, and a right side.
fn definite() -> (Blocks<f64>, Blocks<f64>) {
    let axis = Tiling::cuts([2, 1, 2]).charged([0, 1, 0]).unwrap();
    let structure = Structure::new([&axis, &axis]).flow([1, -1], 0).unwrap();
    let matrix = |i: &[usize]| if i[0] == i[1] { 4.0 + i[0] as f64 } else { 1.0 / (1 + i[0] + i[1]) as f64 };
    (Blocks::from_fn(&structure, matrix).unwrap(), Blocks::from_fn(&structure, |i| (i[0] * 3 + i[1]) as f64).unwrap())
}

fn near<S: tensorwrapper::Extents>(found: &Blocks<f64, S>, expected: &Tensor<f64, impl tensorwrapper::Extents>) {
    found.to_dense().unwrap().into_dyn().allclose(&expected.clone().into_dyn(), 1e-12, 1e-12).unwrap();
}

#[test]
fn singular_values() {
    let theta = theta();
    let again = tensor! {
        // Axes of the results stand in any order.
        let (U[r, a, s], S[r], V[t, b, r]) = svd(theta[a, s, t, b]);
        let again[a, s, t, b] = U[r, a, s] * S[r] * V[t, b, r];
        again
    };
    assert!(again.structure().charge_flow().is_some());
    near(&again, &theta.to_dense().unwrap());
    let (_, s, _) = tensor!(([a, s, r], [r], [r, t, b]) = svd(theta[a, s, t, b]));
    let (_, by_method, _) = theta.svd([0, 1]).unwrap();
    assert_eq!(s.to_dense().unwrap().as_slice(), by_method.to_dense().unwrap().as_slice());
}

#[test]
fn truncations() {
    let theta = theta();
    let (chi, tol) = (3, 0.2);
    let (u, s, v, lost) = tensor!(([a, s, r], [r], [r, t, b], []) = svd(theta[a, s, t, b]; max = chi));
    let (eu, es, ev, expected) = theta.svd_cut([0, 1], &Truncation::none().max(chi)).unwrap();
    assert_eq!(lost, expected);
    near(&u, &eu.to_dense().unwrap());
    near(&s, &es.to_dense().unwrap());
    near(&v, &ev.to_dense().unwrap());
    // Of an expression, with a tolerance, and as the operand of a later equation.
    let (norm, lost) = tensor! {
        let (_u[a, s, r], S[r], _v[r, t, b], lost) = svd(2.0 * theta[a, s, t, b]; tol = tol);
        let norm = S[r] * S[r];
        (norm, lost)
    };
    let whole = tensor!([] = 4.0 * theta[a, s, t, b] * conj(theta[a, s, t, b]));
    assert!(lost > 0.0 && lost <= tol && (norm - whole * (1.0 - lost)).abs() < 1e-12 * whole, "{norm} {whole} {lost}");
}

#[test]
fn functions_of_square_matrices() {
    let (a, b) = definite();
    let (da, db) = (a.to_dense().unwrap(), b.to_dense().unwrap());
    let n = 3;
    macro_rules! same {
        ($A:ident, $B:ident: $($equation:tt)*) => {{
            #[allow(unused_variables, reason = "not every equation reads both")]
            let ($A, $B) = (&a, &b);
            let found = tensor!($($equation)*);
            #[allow(unused_variables, reason = "as above")]
            let ($A, $B) = (&da, &db);
            near(&found, &tensor!($($equation)*));
        }};
    }
    same!(x, y: [j, i] = inv(x[i, j]));
    same!(x, y: [i, j] = expm(0.1 * x[i, j]));
    same!(x, y: [i, j] = matpow(x[i, j], n));
    same!(x, y: [k, j] = solve(x[i, k], y[i, j]));
    same!(x, y: [j, k] = solve(x[i, k] + x[k, i], y[i, j]));
    // The new axis goes through the sectors, so columns stand in another order than those of the dense factor.
    let l = tensor!([i, k] = cholesky(a[i, j]));
    near(&tensor!([i, j] = l[i, k] * conj(l[j, k])), &da);
    let (q, r) = tensor!(([i, r], [r, j]) = qr(b[i, j]));
    near(&tensor!([i, j] = q[i, r] * r[r, j]), &db);
    let (l, q) = tensor!(([i, r], [r, j]) = lq(b[i, j]));
    near(&tensor!([i, j] = l[i, r] * q[r, j]), &db);
    let (e, c) = tensor!(([n], [i, n]) = eigh(a[i, j]));
    near(&tensor!([i, j] = c[i, n] * e[n] * conj(c[j, n])), &da);
    let [det, trace] = [tensor!([] = det(a[i, j])), tensor!([] = trace(a[i, j]))];
    assert!((det / tensor!([] = det(da[i, j])) - 1.0).abs() < 1e-12);
    assert_eq!(trace, tensor!([] = trace(da[i, j])));
    let (sign, logarithm) = tensor!(([], []) = slogdet(a[i, j]));
    assert!(sign == 1.0 && (logarithm - det.ln()).abs() < 1e-12);
}

#[test]
fn a_symmetric_operand_is_read_through_its_symmetry() {
    let cut = Tiling::cuts([2, 3]);
    let structure = Structure::new([&cut, &cut]).with(Symmetry::none(2).symmetric([0, 1]).unwrap()).unwrap();
    let h = Blocks::<Complex<f64>>::from_fn(&structure, |i| Complex::new((i[0] * i[1]) as f64, (i[0] + i[1]) as f64)).unwrap();
    let dense = h.to_dense().unwrap();
    let (_, s, _) = tensor!(([i, r], [r], [r, j]) = svd(h[i, j]));
    let (_, expected, _) = tensor!(([i, r], [r], [r, j]) = svd(dense[i, j]));
    near(&s, &expected);
}

#[test]
fn what_block_tensors_do_not_have() {
    let (theta, (a, b)) = (theta(), definite());
    let says = |error: Error, beginning: &str| assert!(error.to_string().starts_with(beginning), "{error}");
    says(try_tensor!(([n], [i, n]) = eig(a[i, j])).unwrap_err(), "`eig` in an equation of block tensors");
    says(try_tensor!(([a, i, n], [a, n], [a, n, j]) = svd(theta[a, i, j, 0])).unwrap_err(), "a batch of matrices of `svd`");
    let batch = try_tensor!(([a, i, n], [a, n], [a, n, j]) = svd(theta[a, i, j, 0])).unwrap_err().to_string();
    assert!(batch.ends_with("help: take one matrix at a time: `a.chip(0, n)?` has those at position n of axis 0"), "{batch}");
    says(try_tensor!(([n], [i, n]) = eigh(a[i, j], b[i, j])).unwrap_err(), "`eigh` of two matrices");
    let singular = Blocks::<f64>::zeros(a.structure()).unwrap();
    says(try_tensor!([j, i] = inv(singular[i, j])).unwrap_err(), "the 1×1 matrix of `inv` is singular");
}
