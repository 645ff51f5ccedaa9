//! Linear algebra between products, on a device against the processor: what the device leaves to the host is fetched and taken back
//! in the middle of a plan.

use num_complex::Complex;
use tensorwrapper::prelude::*;

use super::cases::stream;

/// What blocks of equations are called, and the elements of their results.
type Found = Vec<(&'static str, Vec<Complex<f64>>)>;

/// Computes every block in every element type in both contexts: how many agree, and a sentence for each that does not.
pub(crate) fn check(device: &Context, processor: &Context) -> (usize, Vec<String>) {
    let all = [
        compare::<f32>(device, processor),
        compare::<f64>(device, processor),
        compare::<Complex<f32>>(device, processor),
        compare::<Complex<f64>>(device, processor),
    ];
    let mut faults = Vec::new();
    let mut passed = 0;
    for (agreed, wrong) in all {
        passed += agreed;
        faults.extend(wrong);
    }
    (passed, faults)
}

fn compare<T: Element>(device: &Context, processor: &Context) -> (usize, Vec<String>) {
    let (found, expected) = match (blocks::<T>(device), blocks::<T>(processor)) {
        (Ok(found), Ok(expected)) => (found, expected),
        (Err(error), _) | (_, Err(error)) => return (0, vec![format!("linear algebra, {}: {error}", T::DTYPE)]),
    };
    let tolerance = if T::DTYPE.real().size() == 4 { 2e-3 } else { 1e-9 };
    let mut faults = Vec::new();
    for ((name, found), (_, expected)) in found.iter().zip(&expected) {
        // NaN is close to nothing.
        let close = |(a, b): (&Complex<f64>, &Complex<f64>)| (a - b).norm() <= tolerance * (1.0 + b.norm());
        if found.len() != expected.len() || !found.iter().zip(expected).all(close) {
            faults.push(format!("{name}, {}: {found:?} instead of {expected:?}", T::DTYPE));
        }
    }
    (found.len() - faults.len(), faults)
}

fn sample<T: Element>(rows: usize, columns: usize, seed: u64) -> Result<Tensor<T>, Error> {
    let mut next = stream(seed);
    Tensor::from_fn(&[rows, columns], |_| T::from_complex(Complex::new(next(), next())))
}

fn told<T: Element, S: Extents>(tensor: &Tensor<T, S>) -> Vec<Complex<f64>> {
    tensor.as_slice().iter().map(|x| x.to_complex()).collect()
}

/// Small matrices side by side, which libraries have routines of their own for; factors of elimination, and determinants.
fn batches<T: Element>(context: &Context) -> Result<Found, Error> {
    let mut next = stream(3);
    let a = Tensor::<T>::from_fn(&[5, 6, 4], |_| T::from_complex(Complex::new(next(), next())))?;
    let s = try_tensor! { in context; let s[b, i, j] = conj(a[b, k, i]) * a[b, k, j]; s }?;
    let (l, x) = try_tensor! {
        in context;
        let l[b, i, r] = cholesky(i, j; s[b, i, j]);
        let x[b, r, k] = triangular_solve(l[b, i, r], conj(a[b, k, i]));
        (l, x)
    }?;
    let (e, c) = try_tensor! { in context; let (e[b, n], c[b, p, n]) = eigh(s[b, p, q]); (e, c) }?;
    let (w, v) = try_tensor! { in context; let (u[b, i, r], w[b, r], v[b, r, j]) = svd(a[b, i, j]); (w, v) }?;
    let (d, t) = try_tensor! { in context; let d[b] = det(s[b, i, j]); let t[b, j, i] = inv(i, j; s[b, i, j]); (d, t) }?;
    let back = try_tensor! {
        in context;
        let (p[b, i, q], l[b, q, r], u[b, r, j]) = lu(a[b, i, j]);
        let back[b, i, j] = p[b, i, q] * l[b, q, r] * u[b, r, j];
        back
    }?;
    let vectors = [("batched Cholesky factors", told(&l)), ("triangular systems", told(&x)), ("batched eigenvectors", told(&c))];
    let values = [("batched eigenvalues", told(&e)), ("batched singular values", told(&w)), ("determinants", told(&d))];
    let others = [("batched singular vectors", told(&v)), ("batched inverses", told(&t)), ("eliminated and back", told(&back))];
    Ok(vectors.into_iter().chain(values).chain(others).collect())
}

/// All factors are unique, so that they are compared as they are: triangles have a positive diagonal, and vectors one phase.
fn blocks<T: Element>(context: &Context) -> Result<Found, Error> {
    let (a, b) = (sample::<T>(9, 6, 1)?, sample::<T>(6, 4, 2)?);
    let mut found = Vec::new();
    let l = try_tensor! {
        in context;
        let s[i, j] = conj(a[k, i]) * a[k, j];
        let l[i, r] = cholesky(s[i, j]);
        l
    }?;
    found.push(("cholesky", told(&l)));
    let x = try_tensor! {
        in context;
        let s[i, j] = conj(a[k, i]) * a[k, j];
        let x[j, n] = solve(s[i, j], b[i, n]);
        let y[i, n] = a[i, j] * x[j, n];
        y
    }?;
    found.push(("solve", told(&x)));
    let p = try_tensor! {
        in context;
        let s[i, j] = conj(a[k, i]) * a[k, j];
        let t[j, i] = inv(s[i, j]);
        let p[m, n] = a[m, j] * t[j, i] * conj(a[n, i]);
        p
    }?;
    found.push(("inverse", told(&p)));
    let (q, r, back) = try_tensor! {
        in context;
        let c[i, n] = a[i, j] * b[j, n];
        let (q[i, r], t[r, n]) = qr(c[i, n]);
        let back[i, n] = q[i, r] * t[r, n];
        (q, t, back)
    }?;
    found.extend([("orthogonal factor", told(&q)), ("triangle", told(&r)), ("their product", told(&back))]);
    let (e, c) = try_tensor! {
        in context;
        let s[i, j] = conj(a[k, i]) * a[k, j];
        let (e[n], c[p, n]) = eigh(s[p, q]);
        let y[m, n] = a[m, p] * c[p, n];
        (e, y)
    }?;
    found.extend([("eigenvalues", told(&e)), ("eigenvectors", told(&c))]);
    let (u, s) = try_tensor! {
        in context;
        let (u[i, r], s[r], v[r, j]) = svd(a[i, j]);
        let y[i, n] = u[i, r] * v[r, j] * b[j, n];
        (y, s)
    }?;
    found.extend([("singular vectors", told(&u)), ("singular values", told(&s))]);
    found.extend(batches::<T>(context)?);
    Ok(found)
}
