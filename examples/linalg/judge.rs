//! Each operation of a case in `tensor!`, and the identities that its results fulfil.

use num_complex::Complex;
use tensorwrapper::prelude::*;

use super::cases::{Case, Expect};

/// Elements that are compared with the case's reference; the largest deviation from an identity, in units of its tolerance.
struct Outcome {
    elements: Vec<Complex<f64>>,
    identities: Vec<(&'static str, f64)>,
}

/// Why a case has no outcome.
enum Refusal {
    /// The file asks for what there is not: no case expects that.
    Case(String),
    /// The library's own error.
    Library(String),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        Refusal::Library(error.to_string())
    }
}

/// Evaluates a case and says what came out, or what is wrong with it.
pub fn judge<T: Element>(case: &Case) -> Result<String, String> {
    let outcome = evaluate::<T>(case);
    let is_nan = |outcome: &Outcome| outcome.elements.iter().any(|x| x.is_nan());
    match (case.expect, outcome) {
        (_, Err(Refusal::Case(message))) | (Expect::Value, Err(Refusal::Library(message))) => Err(message),
        (Expect::Error | Expect::ErrorOrNan, Err(Refusal::Library(message))) => Ok(format!("refused: {message}")),
        (Expect::ErrorOrNan, Ok(outcome)) if is_nan(&outcome) => Ok("NaN".to_string()),
        (Expect::Error | Expect::ErrorOrNan, Ok(_)) => Err("a value came out where none is defined".to_string()),
        (Expect::Value, Ok(outcome)) => compare(case, &outcome),
    }
}

fn compare(case: &Case, outcome: &Outcome) -> Result<String, String> {
    if let Some((what, off)) = outcome.identities.iter().find(|(_, off)| off.is_nan() || *off > 1.0) {
        return Err(format!("{what} is off by {off:.1} tolerances"));
    }
    let Some(reference) = &case.reference else {
        return Ok(format!("{} identities hold", outcome.identities.len()));
    };
    if reference.elements.len() != outcome.elements.len() {
        return Err(format!("{} elements where the reference has {}", outcome.elements.len(), reference.elements.len()));
    }
    let off = outcome.elements.iter().zip(&reference.elements).map(|(x, y)| (x - y).norm());
    let off = off.fold(0.0, |worst: f64, off| if off > worst || off.is_nan() { off } else { worst });
    match off <= case.abs_tol {
        true => Ok(format!("off by {off:.1e} (tolerance {:.1e}), {} identities hold", case.abs_tol, outcome.identities.len())),
        false => Err(format!("off by {off:e}, more than {:e}", case.abs_tol)),
    }
}

fn elements<T: Element, S: Extents>(tensor: &Tensor<T, S>) -> Vec<Complex<f64>> {
    tensor.as_slice().iter().map(|x| x.to_complex()).collect()
}

fn largest<T: Element, S: Extents>(tensor: &Tensor<T, S>) -> f64 {
    elements(tensor).iter().map(|x| x.norm()).fold(0.0, f64::max)
}

/// The largest difference of two tensors in units of a tolerance.
fn off<T: Element, A: Extents, B: Extents>(found: &Tensor<T, A>, expected: &Tensor<T, B>, tolerance: f64) -> f64 {
    if found.extents() != expected.extents() {
        return f64::INFINITY;
    }
    let differences = elements(found).into_iter().zip(elements(expected)).map(|(x, y)| (x - y).norm() / tolerance);
    differences.fold(0.0, |worst: f64, off| if off > worst || off.is_nan() { off } else { worst })
}

fn unit<T: Element>(n: usize) -> Result<Tensor<T>, Error> {
    Tensor::from_fn([n, n], |i| if i[0] == i[1] { T::ONE } else { T::ZERO })
}

/// Real numbers as elements of another type.
fn wide<T: Element, S: Extents>(real: &Tensor<T::Real, S>) -> Result<Tensor<T>, Error> {
    Tensor::from_vec(real.extents().to_vec(), real.as_slice().iter().map(|&x| T::from_real(x)).collect())
}

fn evaluate<T: Element>(case: &Case) -> Result<Outcome, Refusal> {
    let a = case.input::<T>("A").map_err(Refusal::Case)?;
    let second = || case.input::<T>("B").map_err(Refusal::Case);
    let outcome = match case.op.as_str() {
        "solve" | "lstsq" | "triangular_solve" => systems(case, &a, &second()?),
        "eigh_generalised" | "eigh_generalized" => eigenvalues(&a, Some(&second()?)),
        "eigh" => eigenvalues(&a, second().ok().as_ref()),
        "cholesky" | "svd" | "qr" | "lq" | "lu" | "eig" => factors(&case.op, &a),
        "inv" | "pinv" | "expm" => functions(&case.op, &a),
        "matpow" => power(&a, exponent(case).map_err(Refusal::Case)?),
        "det" | "slogdet" | "norm" | "trace" | "rank" => numbers(&case.op, &a),
        other => return Err(Refusal::Case(format!("`{other}` is no operation"))),
    };
    Ok(outcome?)
}

fn eigenvalues<T: Element>(a: &Tensor<T>, metric: Option<&Tensor<T>>) -> Result<Outcome, Error> {
    let n = a.extents().first().copied().unwrap_or(0);
    let (s, size) = match metric {
        Some(s) => (s.clone(), 1e-11 * largest(a).max(largest(s)).max(1.0)),
        None => (unit(n)?, 1e-12 * largest(a).max(1.0)),
    };
    let (e, c) = match metric {
        Some(_) => try_tensor!(([n], [p, n]) = eigh(a[p, q], s[p, q]))?,
        None => try_tensor!(([n], [p, n]) = eigh(a[p, q]))?,
    };
    let w = wide::<T, _>(&e)?;
    let left = try_tensor!([p, n] = a[p, q] * c[q, n])?;
    let right = try_tensor!([p, n] = s[p, q] * c[q, n] * w[n])?;
    let one = try_tensor!([m, n] = conj(c[p, m]) * s[p, q] * c[q, n])?;
    let ascending = if e.as_slice().is_sorted() { 0.0 } else { f64::INFINITY };
    let identities =
        vec![("A V = B V w", off(&left, &right, size)), ("V^H B V = 1", off(&one, &unit(n)?, size)), ("the order", ascending)];
    Ok(Outcome { elements: elements(&e), identities })
}

fn factors<T: Element>(op: &str, a: &Tensor<T>) -> Result<Outcome, Error> {
    let size = 1e-13 * largest(a).max(1.0);
    match op {
        "cholesky" => {
            let l = try_tensor!([i, k] = cholesky(a[i, j]))?;
            let back = try_tensor!([i, j] = l[i, k] * conj(l[j, k]))?;
            let n = l.extents()[0];
            let triangle = (0..n).all(|i| l[[i, i]].to_complex().re > 0.0 && (i + 1..n).all(|j| l[[i, j]] == T::ZERO));
            let shape = if triangle { 0.0 } else { f64::INFINITY };
            Ok(Outcome { elements: elements(&l), identities: vec![("L L^H = A", off(&back, a, size)), ("the triangle", shape)] })
        }
        "svd" => {
            let (u, s, v) = try_tensor!(([i, r], [r], [r, j]) = svd(a[i, j]))?;
            let w = wide::<T, _>(&s)?;
            let back = try_tensor!([i, j] = u[i, r] * w[r] * v[r, j])?;
            let (left, right) = (try_tensor!([r, t] = conj(u[i, r]) * u[i, t])?, try_tensor!([r, t] = v[r, j] * conj(v[t, j]))?);
            let one = unit(s.extents()[0])?;
            let size = 1e-13 * largest(&s).max(1.0);
            let identities = vec![
                ("U s V = A", off(&back, a, size)),
                ("U^H U = 1", off(&left, &one, size)),
                ("V V^H = 1", off(&right, &one, size)),
            ];
            Ok(Outcome { elements: elements(&s), identities })
        }
        "qr" | "lq" => {
            let is_qr = op == "qr";
            let (q, r) = match is_qr {
                true => try_tensor!(([i, r], [r, j]) = qr(a[i, j]))?,
                false => try_tensor!(([r, j], [i, r]) = qr(conj(a[j, i])))?,
            };
            let (x, y) = if is_qr { (q.clone(), r.clone()) } else { try_tensor!(([i, r], [r, j]) = lq(a[i, j]))? };
            let back = try_tensor!([i, j] = x[i, r] * y[r, j])?;
            let one = match is_qr {
                true => try_tensor!([r, t] = conj(x[i, r]) * x[i, t])?,
                false => try_tensor!([r, t] = y[r, j] * conj(y[t, j]))?,
            };
            let (triangle, k) = (if is_qr { &y } else { &x }, one.extents()[0]);
            let zero = |i: usize, j: usize| if is_qr { i > j } else { i < j };
            let extents = triangle.extents();
            let exact = (0..extents[0]).all(|i| (0..extents[1]).all(|j| !zero(i, j) || triangle[[i, j]] == T::ZERO));
            let diagonal = (0..k).map(|n| triangle[[n, n]].to_complex().norm().into()).collect();
            let shape = if exact { 0.0 } else { f64::INFINITY };
            let identities =
                vec![("the product", off(&back, a, size)), ("Q^H Q = 1", off(&one, &unit(k)?, size)), ("the triangle", shape)];
            Ok(Outcome { elements: diagonal, identities })
        }
        "lu" => {
            let (p, l, u) = try_tensor!(([i, q], [q, r], [r, j]) = lu(a[i, j]))?;
            let back = try_tensor!([i, j] = p[i, q] * l[q, r] * u[r, j])?;
            let diagonal = (0..u.extents()[0]).map(|n| u[[n, n]].to_complex()).collect();
            Ok(Outcome { elements: diagonal, identities: vec![("P L U = A", off(&back, a, size))] })
        }
        _ => {
            let (e, c) = try_tensor!(([n], [p, n]) = eig(a[p, q]))?;
            let wide: Vec<T::Complex> = a.as_slice().iter().map(|x| T::Complex::from_complex(x.to_complex())).collect();
            let a: Tensor<T::Complex> = Tensor::from_vec(a.extents().to_vec(), wide)?;
            let (left, right) = (try_tensor!([p, n] = a[p, q] * c[q, n])?, try_tensor!([p, n] = c[p, n] * e[n])?);
            Ok(Outcome { elements: elements(&e), identities: vec![("A V = V w", off(&left, &right, 100.0 * size))] })
        }
    }
}

fn systems<T: Element>(case: &Case, a: &Tensor<T>, b: &Tensor<T>) -> Result<Outcome, Error> {
    // A right side of one axis is one column.
    let is_vector = b.extents().len() == 1;
    let b = if is_vector { try_tensor!([i, j] = b[i] * 1[j] where j: 1)?.into_dyn() } else { b.clone() };
    let x = match case.op.as_str() {
        "solve" => try_tensor!([k, j] = solve(a[i, k], b[i, j]))?,
        "lstsq" => try_tensor!([k, j] = lstsq(a[i, k], b[i, j]))?,
        _ if case.number("upper").is_some_and(|upper| upper != 0.0) => {
            try_tensor!([k, j] = triangular_solve(a[i, k], b[i, j]; upper))?
        }
        _ => try_tensor!([k, j] = triangular_solve(a[i, k], b[i, j]))?,
    };
    let residual = try_tensor!([i, j] = a[i, k] * x[k, j] - b[i, j])?;
    let size = 1e-14 * (a.extents()[0] as f64 * largest(a) * largest(&x) + largest(&b));
    let identity = match case.op.as_str() {
        "solve" => ("A X = B", largest(&residual) / size.max(f64::MIN_POSITIVE)),
        "lstsq" => {
            let normal = try_tensor!([k, j] = conj(a[i, k]) * residual[i, j])?;
            ("A^H (A X - B) = 0", largest(&normal) / (1e2 * size * largest(a).max(1.0)).max(f64::MIN_POSITIVE))
        }
        _ => ("nothing", 0.0),
    };
    Ok(Outcome { elements: elements(&x), identities: vec![identity] })
}

fn exponent(case: &Case) -> Result<i32, String> {
    let exponent = ["n", "k", "exponent"].iter().find_map(|name| case.number(name)).ok_or("`matpow` has an input `n`")?;
    let is_whole = exponent.fract() == 0.0 && exponent.abs() <= f64::from(i32::MAX);
    if is_whole { Ok(exponent as i32) } else { Err(format!("{exponent} is no whole number")) }
}

fn power<T: Element>(a: &Tensor<T>, n: i32) -> Result<Outcome, Error> {
    let x = try_tensor!([i, j] = matpow(a[i, j], n))?;
    Ok(Outcome { elements: elements(&x), identities: Vec::new() })
}

fn functions<T: Element>(op: &str, a: &Tensor<T>) -> Result<Outcome, Error> {
    let size = 1e-13 * largest(a).max(1.0);
    match op {
        "inv" => {
            let x = try_tensor!([j, i] = inv(a[i, j]))?;
            let one = try_tensor!([i, k] = a[i, j] * x[j, k])?;
            let off = off(&one, &unit(a.extents()[0])?, size * largest(&x).max(1.0));
            Ok(Outcome { elements: elements(&x), identities: vec![("A X = 1", off)] })
        }
        "pinv" => {
            let x = try_tensor!([j, i] = pinv(a[i, j]))?;
            let back = try_tensor!([i, j] = a[i, k] * x[k, l] * a[l, j])?;
            Ok(Outcome {
                elements: elements(&x),
                identities: vec![("A X A = A", off(&back, a, 10.0 * size * largest(&x).max(1.0)))],
            })
        }
        _ => {
            let x = try_tensor!([i, j] = expm(a[i, j]))?;
            Ok(Outcome { elements: elements(&x), identities: Vec::new() })
        }
    }
}

fn numbers<T: Element>(op: &str, a: &Tensor<T>) -> Result<Outcome, Error> {
    let elements = match op {
        "det" => vec![try_tensor!([] = det(a[i, j]))?.to_complex()],
        "slogdet" => {
            let (sign, logarithm) = try_tensor!(([], []) = slogdet(a[i, j]))?;
            vec![sign.to_complex(), logarithm.to_complex()]
        }
        "norm" if a.extents().len() == 1 => vec![try_tensor!([] = norm(a[i]))?.to_complex()],
        "norm" => vec![try_tensor!([] = norm(a[i, j]))?.to_complex()],
        "trace" => vec![try_tensor!([] = trace(a[i, j]))?.to_complex()],
        _ => vec![try_tensor!([] = rank(a[i, j]))?.to_complex()],
    };
    Ok(Outcome { elements, identities: Vec::new() })
}
