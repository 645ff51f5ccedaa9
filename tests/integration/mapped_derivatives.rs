//! Derivatives of functions of the program, whose slopes it gives.

use num_complex::Complex;
use tensorwrapper::prelude::*;

type Vector = Tensor<f64, Shape![_]>;

fn numbers(seed: f64) -> Vector {
    Tensor::from_fn((7,), |i| 0.2 + (seed + i[0] as f64).sin().abs()).unwrap()
}

fn near(found: &Vector, expected: &Vector) {
    let largest: f64 = tensor!([] = max(i; abs(found[i] - expected[i])));
    assert!(largest < 1e-12, "{found} {expected}");
}

/// Of one argument: gradients, changes, second derivatives, and third ones where the slopes reach so far.
#[test]
fn of_one_argument() {
    let (x, w) = (numbers(1.0), numbers(2.0));
    let (first, second): (Vector, Vector) = tensor! {
        let y[i] = map(|x: f64| x.sinh(), |x: f64| x.cosh(), f64::sinh; 2.0 * x[i]);
        let L = w[i] * y[i] * y[i];
        let g[i] = grad(L; x[i]);
        let G = w[i] * g[i];
        let h[i] = grad(G; x[i]);
        (g, h)
    };
    // y = sinh(2x): (y²)' = 2·sinh(4x), (y²)'' = 8·cosh(4x)
    near(&first, &tensor!([i] = w[i] * map(|x: f64| 2.0 * (4.0 * x).sinh(); x[i])));
    near(&second, &tensor!([i] = w[i] * w[i] * map(|x: f64| 8.0 * (4.0 * x).cosh(); x[i])));
    let pushed: Vector = tensor! {
        let y[i] = map(f64::sinh, f64::cosh; x[i]);
        let dy[i] = grad(y[i]; x[k]) * w[k];
        dy
    };
    near(&pushed, &tensor!([i] = w[i] * map(f64::cosh; x[i])));
    // The slope's slope is not known.
    let third = try_tensor! {
        let L = sum(i; map(f64::sinh, f64::cosh; x[i]));
        let g[i] = grad(L; x[i]);
        let G = w[i] * g[i];
        let h[i] = grad(G; x[i]);
        h
    };
    let error = third.unwrap_err().to_string();
    assert!(error.starts_with("the derivative of a function of the program, whose slope is not known"), "{error}");
}

/// Of several arguments: a slope by each, then those of each slope. Closures and lists of types hold commas of their own.
#[test]
fn of_several_arguments() {
    fn over<A: From<f64>, B: From<A> + Into<f64>>(x: f64, _: f64) -> f64 {
        B::from(A::from(x)).into()
    }
    let (x, y, w) = (numbers(1.0), numbers(2.0), numbers(3.0));
    // f = x²·y + y³
    let (by_x, by_y, along): (Vector, Vector, Vector) = tensor! {
        let L = w[i] * map(
            |x: f64, y: f64| x * x * y + y * y * y,
            |x: f64, y: f64| 2.0 * x * y,
            move |x: f64, y: f64| x * x + 3.0 * y * y,
            |_: f64, y: f64| 2.0 * y,
            |x: f64, y: f64| 2.0 * over::<f64, f64>(x, y),
            |x: f64, _: f64| 2.0 * x,
            |_: f64, y: f64| if y < 0.0 { 6.0 * y } else { 6.0 * y };
            x[i], y[i]
        );
        let (gx[i], gy[i]) = grad(L; x[i], y[i]);
        let D = gx[i] * y[i] + gy[i] * x[i];
        let h[i] = grad(D; y[i]);
        (gx, gy, h)
    };
    near(&by_x, &tensor!([i] = 2.0 * w[i] * x[i] * y[i]));
    near(&by_y, &tensor!([i] = w[i] * (x[i] * x[i] + 3.0 * y[i] * y[i])));
    // D = w·(2xy² + x³ + 3xy²), ∂D/∂y = 10·w·x·y
    near(&along, &tensor!([i] = 10.0 * w[i] * x[i] * y[i]));
}

/// Of eigenvalues and of singular values, some of which are equal: one slope is enough for first derivatives.
#[test]
fn of_the_values_of_a_matrix() {
    let vectors: Tensor<f64, Shape![_, _]> = {
        let x = Tensor::<f64, Shape![_, _]>::from_fn((4, 4), |i| (1.3 * i[0] as f64 + 2.1 * (i[1] * i[1]) as f64).sin()).unwrap();
        tensor! { let (q[i, r], u[r, j]) = qr(x[i, j]); q }
    };
    let values = Vector::from_vec((4,), vec![0.5, 0.5, 1.0, 2.0]).unwrap();
    let a: Tensor<f64, Shape![_, _]> = tensor!([i, j] = vectors[i, n] * values[n] * vectors[j, n]);
    let w = Tensor::<f64, Shape![_, _]>::from_fn((4, 4), |i| (i[0] as f64 - 0.4 * i[1] as f64).cos()).unwrap();
    let (own, known, own_across, known_across) = tensor! {
        let s[i, j] = sym(i, j; a[i, j]);
        let (e[n], c[i, n]) = eigh(s[i, j]);
        let F[i, j] = c[i, n] * map(f64::exp, f64::exp; e[n]) * c[j, n];
        let G[i, j] = c[i, n] * exp(e[n]) * c[j, n];
        let K = w[i, j] * F[i, j];
        let L = w[i, j] * G[i, j];
        let own[i, j] = grad(K; a[i, j]);
        let known[i, j] = grad(L; a[i, j]);
        let (u[i, r], z[r], v[r, j]) = svd(a[i, j]);
        let M = w[i, j] * u[i, r] * map(f64::sinh, f64::cosh; z[r]) * v[r, j];
        let N = 0.5 * w[i, j] * u[i, r] * exp(z[r]) * v[r, j] - 0.5 * w[i, j] * u[i, r] * exp(-z[r]) * v[r, j];
        let across[i, j] = grad(M; a[i, j]);
        let expected[i, j] = grad(N; a[i, j]);
        (own, known, across, expected)
    };
    assert!(tensor!([] = max(i, j; abs(own[i, j] - known[i, j]))) < 1e-13);
    assert!(tensor!([] = max(i, j; abs(own_across[i, j] - known_across[i, j]))) < 1e-13);
    let second = try_tensor! {
        let s[i, j] = sym(i, j; a[i, j]);
        let (e[n], c[i, n]) = eigh(s[i, j]);
        let L = w[i, j] * c[i, n] * map(f64::exp, f64::exp; e[n]) * c[j, n];
        let g[i, j] = grad(L; a[i, j]);
        let G = w[i, j] * g[i, j];
        let h[i, j] = grad(G; a[i, j]);
        h
    };
    let error = second.unwrap_err().to_string();
    assert!(error.starts_with("the derivative of a function of the program, whose slope is not known"), "{error}");
}

/// Analytic functions of complex numbers.
#[test]
fn of_complex_numbers() {
    type C = Complex<f64>;
    let z = Tensor::<C, Shape![_]>::from_fn((4,), |i| C::new(0.3 * i[0] as f64, 0.7 - 0.2 * i[0] as f64)).unwrap();
    let found: Tensor<C, Shape![_]> = tensor! {
        let y[i] = map(|z: C| z.sinh(), |z: C| z.cosh(); z[i]);
        let L = cast(f64; re(y[i] * conj(y[i])));
        let g[i] = grad(L; z[i]);
        g
    };
    for (found, z) in found.as_slice().iter().zip(z.as_slice()) {
        assert!((found - 2.0 * z.cosh().conj() * z.sinh()).norm() < 1e-12);
    }
}
