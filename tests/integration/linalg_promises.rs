//! What linear algebra promises, sentence by sentence: conventions on complex input, phases, the triangle that is read, and a defined
//! answer to everything that has no result.

use num_complex::Complex;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tensorwrapper::linalg;
use tensorwrapper::prelude::*;
use tensorwrapper::{Element, Error, ErrorKind};

type C = Complex<f64>;

fn devices() -> [(&'static str, Context); 2] {
    [("cpu", Context::cpu()), ("reference", Context::reference())]
}

fn epsilon<T: Element>() -> f64 {
    if size_of::<T::Real>() == 4 { f64::from(f32::EPSILON) } else { f64::EPSILON }
}

fn random<T: Element>(seed: u64, extents: &[usize]) -> Tensor<T> {
    let mut rng = StdRng::seed_from_u64(seed);
    Tensor::from_fn(extents, |_| T::from_complex(C::new(rng.random_range(-1.0..1.0), rng.random_range(-1.0..1.0)))).unwrap()
}

/// Hermitian and positive definite, for each item of a batch that stands last.
fn definite<T: Element>(seed: u64, n: usize, batch: usize) -> Tensor<T> {
    let x = random::<T>(seed, &[n, n, batch]);
    let square = (x.at("i,k,b") * x.at("j,k,b").conj()).eval("i,j,b").unwrap();
    Tensor::from_fn([n, n, batch], |i| square[[i[0], i[1], i[2]]] + if i[0] == i[1] { T::ONE } else { T::ZERO }).unwrap()
}

/// A real tensor as one of another type.
fn wide<T: Element>(real: &Tensor<T::Real>) -> Tensor<T> {
    Tensor::from_vec(real.extents(), real.as_slice().iter().map(|&x| T::from_real(x)).collect()).unwrap()
}

#[track_caller]
fn close<T: Element>(found: &Tensor<T>, expected: &Tensor<T>, tolerance: f64, what: &str) {
    assert_eq!(found.extents(), expected.extents(), "{what}");
    for (x, y) in found.as_slice().iter().zip(expected.as_slice()) {
        let (x, y) = (x.to_complex(), y.to_complex());
        assert!((x - y).norm() <= tolerance * (1.0 + y.norm()), "{x} instead of {y}: {what}");
    }
}

fn unit<T: Element>(n: usize, batch: usize) -> Tensor<T> {
    Tensor::from_fn([n, n, batch], |i| if i[0] == i[1] { T::ONE } else { T::ZERO }).unwrap()
}

/// A = L·Lᴴ, A = U·diag(s)·V with V as it multiplies, A·x = λ·B·x with xᴴ·B·x = 1; in batches that are computed eight at once, and
/// one by one.
fn conventions<T: Element>() {
    for (name, context) in devices() {
        for (n, batch) in [(1, 1), (3, 1), (3, 11), (8, 9), (17, 5)] {
            let what = format!("{} on {name}, {batch} of order {n}", T::DTYPE);
            let tolerance = 300.0 * epsilon::<T>() * (n + 1) as f64;
            let (a, metric) = (definite::<T>(1, n, batch), definite::<T>(2, n, batch));
            let l = linalg::cholesky(&a).eval_in(&context).unwrap();
            close(&(l.at("i,k,b") * l.at("j,k,b").conj()).eval("i,j,b").unwrap(), &a, tolerance, &what);
            let (e, x) = linalg::eigh(&a).eval_in(&context).unwrap();
            let scaled = (x.at("i,n,b") * wide::<T>(&e).at("n,b")).eval("i,n,b").unwrap();
            close(&(a.at("i,j,b") * x.at("j,n,b")).eval("i,n,b").unwrap(), &scaled, tolerance, &what);
            close(&(x.at("i,m,b").conj() * x.at("i,n,b")).eval("m,n,b").unwrap(), &unit(n, batch), tolerance, &what);
            let (e, x) = linalg::eigh_in_metric(&a, &metric).eval_in(&context).unwrap();
            let image = (metric.at("i,j,b") * x.at("j,n,b")).eval("i,n,b").unwrap();
            let scaled = (image.at("i,n,b") * wide::<T>(&e).at("n,b")).eval("i,n,b").unwrap();
            close(&(a.at("i,j,b") * x.at("j,n,b")).eval("i,n,b").unwrap(), &scaled, 10.0 * tolerance, &what);
            close(&(x.at("i,m,b").conj() * image.at("i,n,b")).eval("m,n,b").unwrap(), &unit(n, batch), 10.0 * tolerance, &what);
            let general = random::<T>(3, &[n, n + 2, batch]);
            let (u, s, v) = linalg::svd(&general).eval_in(&context).unwrap();
            let back = (u.at("i,k,b") * wide::<T>(&s).at("k,b") * v.at("k,j,b")).eval("i,j,b").unwrap();
            close(&back, &general, tolerance, &what);
            // Right sides and inverses, by what they solve.
            let b = random::<T>(4, &[n, 2, batch]);
            let x = linalg::solve(&a, &b).eval_in(&context).unwrap();
            close(&(a.at("i,k,b") * x.at("k,j,b")).eval("i,j,b").unwrap(), &b, 10.0 * tolerance, &what);
            let inverse = linalg::inv(&a).eval_in(&context).unwrap();
            close(&(a.at("i,k,b") * inverse.at("k,j,b")).eval("i,j,b").unwrap(), &unit(n, batch), 10.0 * tolerance, &what);
        }
    }
}

#[test]
fn conventions_hold_for_all_element_types() {
    conventions::<f64>();
    conventions::<f32>();
    conventions::<C>();
    conventions::<Complex<f32>>();
}

/// The largest component of each vector is real and positive, whether matrices are computed alone or beside others.
#[test]
fn phases_are_the_same_alone_and_in_a_batch() {
    let a = definite::<C>(5, 6, 13);
    for (name, context) in devices() {
        let (_, vectors) = linalg::eigh(&a).eval_in(&context).unwrap();
        for item in 0..13 {
            let one = a.view().chip(2, item).unwrap().to_tensor().unwrap();
            let (_, alone) = linalg::eigh(&one).eval_in(&context).unwrap();
            close(&vectors.view().chip(2, item).unwrap().to_tensor().unwrap(), &alone, 1e-12, name);
            for n in 0..6 {
                let column = (0..6).map(|i| alone[[i, n]]);
                let largest = column.fold(C::ZERO, |l, x| if x.norm() > l.norm() * (1.0 + 1e-7) { x } else { l });
                assert!(largest.re > 0.0 && largest.im == 0.0, "{name}: {largest}");
            }
        }
    }
}

/// Of Hermitian matrices the lower triangle is read, of triangles what their words say: NaN everywhere else changes nothing.
#[test]
fn only_the_documented_triangle_is_read() {
    let nan = C::new(f64::NAN, f64::NAN);
    for (name, context) in devices() {
        for batch in [1, 3, 8, 21] {
            for n in [2, 5, 8, 40] {
                let (a, metric) = (definite::<C>(6, n, batch), definite::<C>(7, n, batch));
                let only = |tensor: &Tensor<C>, keeps: &dyn Fn(usize, usize) -> bool| {
                    Tensor::<C>::from_fn([n, n, batch], |i| if keeps(i[0], i[1]) { tensor[[i[0], i[1], i[2]]] } else { nan })
                        .unwrap()
                };
                let lower = |tensor: &Tensor<C>| only(tensor, &|i, j| i >= j);
                let what = format!("{name}, {batch} of order {n}");
                let both = |a: &Tensor<C>| linalg::cholesky(a).eval_in(&context).unwrap();
                assert_eq!(both(&lower(&a)).as_slice(), both(&a).as_slice(), "{what}");
                let both = |a: &Tensor<C>| linalg::eigh(a).eval_in(&context).unwrap();
                assert_eq!(both(&lower(&a)).1.as_slice(), both(&a).1.as_slice(), "{what}");
                let both = |a: &Tensor<C>, b: &Tensor<C>| linalg::eigh_in_metric(a, b).eval_in(&context).unwrap();
                assert_eq!(both(&lower(&a), &lower(&metric)).1.as_slice(), both(&a, &metric).1.as_slice(), "{what}");
                let right = random::<C>(8, &[n, 2, batch]);
                let lower_solve = |a: &Tensor<C>| linalg::triangular_solve(a, &right).eval_in(&context).unwrap();
                close(&lower_solve(&lower(&a)), &lower_solve(&a), 1e-14, &what);
                let upper_solve = |a: &Tensor<C>| linalg::triangular_solve(a, &right).upper().eval_in(&context).unwrap();
                close(&upper_solve(&only(&a, &|i, j| i <= j)), &upper_solve(&a), 1e-14, &what);
                let unit_solve = |a: &Tensor<C>| linalg::triangular_solve(a, &right).unit().eval_in(&context).unwrap();
                close(&unit_solve(&only(&a, &|i, j| i > j)), &unit_solve(&a), 1e-14, &what);
            }
        }
    }
}

/// NaN and infinity are refused by name, size and place; sums take them as they are.
#[test]
fn nan_is_refused_by_all_operations() {
    for (name, context) in devices() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for batch in [2, 12] {
                // On the diagonal, so that every triangle has it.
                let a = Tensor::<f64>::from_fn([3, 3, batch], |i| match (i[0] == i[1], i[0], i[2]) {
                    (true, 1, 1) => bad,
                    (true, ..) => 4.0,
                    _ => 1.0,
                })
                .unwrap();
                let b = Tensor::<f64>::filled([3, 2, batch], 1.0).unwrap();
                let fine = definite::<f64>(9, 3, batch);
                let refused = [
                    ("cholesky", linalg::cholesky(&a).eval_in(&context).map(drop)),
                    ("eigh", linalg::eigh(&a).eval_in(&context).map(drop)),
                    ("eig", linalg::eig(&a).eval_in(&context).map(drop)),
                    ("qr", linalg::qr(&a).eval_in(&context).map(drop)),
                    ("lq", linalg::lq(&a).eval_in(&context).map(drop)),
                    ("svd", linalg::svd(&a).eval_in(&context).map(drop)),
                    ("svd", linalg::svd_cut(&a).max(2).eval_in(&context).map(drop)),
                    ("svd", linalg::svd_full(&a).eval_in(&context).map(drop)),
                    ("lu", linalg::lu(&a).eval_in(&context).map(drop)),
                    ("solve", linalg::solve(&a, &b).eval_in(&context).map(drop)),
                    ("triangular_solve", linalg::triangular_solve(&a, &b).eval_in(&context).map(drop)),
                    ("lstsq", linalg::lstsq(&a, &b).eval_in(&context).map(drop)),
                    ("inv", linalg::inv(&a).eval_in(&context).map(drop)),
                    ("pinv", linalg::pinv(&a).eval_in(&context).map(drop)),
                    ("matpow", linalg::matpow(&a, 2).eval_in(&context).map(drop)),
                    ("expm", linalg::expm(&a).eval_in(&context).map(drop)),
                    ("det", linalg::det(&a).eval_in(&context).map(drop)),
                    ("slogdet", linalg::slogdet(&a).eval_in(&context).map(drop)),
                    ("rank", linalg::rank(&a).eval_in(&context).map(drop)),
                ];
                for (operation, result) in refused {
                    let error = sentence(result.unwrap_err());
                    assert_eq!(
                        error,
                        format!("the 3×3 matrix of `{operation}` at batch index [1] holds NaN or infinity"),
                        "{name}"
                    );
                }
                let second = sentence(linalg::eigh_in_metric(&fine, &a).eval_in(&context).map(drop).unwrap_err());
                assert_eq!(second, "the second 3×3 matrix of `eigh` at batch index [1] holds NaN or infinity", "{name}");
                let mut right = b.clone();
                right[[2, 1, 1]] = bad;
                let error = sentence(linalg::solve(&fine, &right).eval_in(&context).map(drop).unwrap_err());
                assert_eq!(error, "the 3×2 right side of `solve` at batch index [1] holds NaN or infinity", "{name}");
                let (norm, trace) =
                    (linalg::norm(&a).eval_in(&context).unwrap()[[1]], linalg::trace(&a).eval_in(&context).unwrap()[[1]]);
                assert!(!norm.is_finite() && !trace.is_finite(), "{name}: {norm}, {trace}");
            }
        }
    }
}

fn sentence(error: Error) -> String {
    assert!(matches!(error.kind(), ErrorKind::LinearAlgebra { .. }), "{error}");
    error.to_string()
}

/// No result is half-written: where one item of a batch has none, a tensor that would have been overwritten is as it was.
#[test]
fn failed_operations_change_nothing() {
    let mut a = definite::<f64>(10, 3, 20);
    a[[1, 1, 17]] = -1.0;
    let mut target = Tensor::<f64>::filled([3, 3, 20], 7.0).unwrap();
    let result = try_tensor! {
        let l[i, k, b] = cholesky(i, j; a[i, j, b]);
        target[i, k, b] = l[i, k, b];
    };
    let error = sentence(result.unwrap_err());
    assert!(
        error.starts_with("the 3×3 matrix of `cholesky` at batch index [17] is not positive definite: its pivot "),
        "{error}"
    );
    assert!(target.as_slice().iter().all(|&x| x == 7.0));
}

/// Matrices of a rank that is less than full have factors all the same, and a least-squares solution that is the shortest.
#[test]
fn rank_deficient_and_non_square() {
    for (name, context) in devices() {
        for (rows, columns, rank) in [(5, 5, 2), (7, 4, 3), (4, 7, 1), (6, 6, 0), (1, 4, 1), (4, 1, 0)] {
            let (x, y) = (random::<C>(11, &[rows, rank]), random::<C>(12, &[rank, columns]));
            let a = (x.at("i,r") * y.at("r,j")).eval("i,j").unwrap();
            let what = format!("{name}: {rows}×{columns} of rank {rank}");
            assert_eq!(linalg::rank(&a).eval_in(&context).unwrap()[[]], rank as f64, "{what}");
            let (q, r) = linalg::qr(&a).eval_in(&context).unwrap();
            close(&(q.at("i,k") * r.at("k,j")).eval("i,j").unwrap(), &a, 1e-13, &what);
            let (l, q) = linalg::lq(&a).eval_in(&context).unwrap();
            close(&(l.at("i,k") * q.at("k,j")).eval("i,j").unwrap(), &a, 1e-13, &what);
            let (p, l, u) = linalg::lu(&a).eval_in(&context).unwrap();
            close(&(p.at("i,q") * l.at("q,k") * u.at("k,j")).eval("i,j").unwrap(), &a, 1e-13, &what);
            let inverse = linalg::pinv(&a).eval_in(&context).unwrap();
            // All four conditions of Moore and Penrose.
            let (left, right) =
                ((a.at("i,k") * inverse.at("k,j")).eval("i,j").unwrap(), (inverse.at("i,k") * a.at("k,j")).eval("i,j").unwrap());
            close(&(left.at("i,k") * a.at("k,j")).eval("i,j").unwrap(), &a, 1e-12, &what);
            close(&(right.at("i,k") * inverse.at("k,j")).eval("i,j").unwrap(), &inverse, 1e-12, &what);
            close(&left.at("j,i").conj().eval("i,j").unwrap(), &left, 1e-12, &what);
            close(&right.at("j,i").conj().eval("i,j").unwrap(), &right, 1e-12, &what);
            let b = random::<C>(13, &[rows, 3]);
            let found = linalg::lstsq(&a, &b).eval_in(&context).unwrap();
            close(&found, &(inverse.at("k,i") * b.at("i,j")).eval("k,j").unwrap(), 1e-11, &what);
        }
    }
}

/// Extents of 0 and 1 of the operations on square matrices, alone and in batches.
#[test]
fn square_matrices_of_no_and_one_row() {
    for (name, context) in devices() {
        for batch in [0, 1, 9] {
            let empty = Tensor::<C>::zeros([0, 0, batch]).unwrap();
            let right = Tensor::<C>::zeros([0, 2, batch]).unwrap();
            assert_eq!(linalg::cholesky(&empty).eval_in(&context).unwrap().extents(), [0, 0, batch], "{name}");
            let (e, x) = linalg::eigh(&empty).eval_in(&context).unwrap();
            assert_eq!((e.extents(), x.extents()), (&[0, batch][..], &[0, 0, batch][..]), "{name}");
            assert_eq!(linalg::solve(&empty, &right).eval_in(&context).unwrap().extents(), [0, 2, batch], "{name}");
            assert_eq!(linalg::inv(&empty).eval_in(&context).unwrap().extents(), [0, 0, batch], "{name}");
            assert!(linalg::det(&empty).eval_in(&context).unwrap().as_slice().iter().all(|&d| d == C::ONE), "{name}");
            let one = Tensor::<C>::filled([1, 1, batch], C::new(4.0, 0.0)).unwrap();
            let two = Tensor::<C>::filled([1, 1, batch], C::new(0.0, 2.0)).unwrap();
            let all = |found: Tensor<C>, expected: C| {
                assert!(found.as_slice().iter().all(|&x| (x - expected).norm() < 1e-15), "{name}: {found}, not {expected}");
            };
            all(linalg::cholesky(&one).eval_in(&context).unwrap(), C::new(2.0, 0.0));
            all(linalg::eigh(&one).eval_in(&context).unwrap().1, C::ONE);
            all(linalg::solve(&two, &one).eval_in(&context).unwrap(), C::new(0.0, -2.0));
            all(linalg::inv(&two).eval_in(&context).unwrap(), C::new(0.0, -0.5));
            all(linalg::matpow(&two, -2).eval_in(&context).unwrap(), C::new(-0.25, 0.0));
        }
    }
}

/// Singular values of a matrix of chosen ones.
fn with_values<T: Element>(rows: usize, columns: usize, value: impl Fn(usize) -> f64) -> Tensor<T> {
    let least = rows.min(columns);
    let (q, _) = linalg::qr(&random::<T>(20, &[rows, least])).eval().unwrap();
    let (p, _) = linalg::qr(&random::<T>(21, &[columns, least])).eval().unwrap();
    let s = Tensor::<T>::from_fn([least], |i| T::from_complex(value(i[0]).into())).unwrap();
    (q.at("i,k") * s.at("k,") * p.at("j,k").conj()).eval("i,j").unwrap()
}

/// A truncation has the values of the whole decomposition, orthonormal vectors, and A·vᴴ = s·u, whatever way it went: by random
/// vectors, by squares of the matrix, or by the whole of it.
fn truncations<T: Element>(rows: usize, columns: usize) {
    let count = 8;
    let falls: [(&str, &dyn Fn(usize) -> f64); 7] = [
        ("fast", &|n| (-(n as f64) / 2.0).exp()),
        ("less fast", &|n| (-(n as f64) / 5.0).exp()),
        ("slowly", &|n| 1.0 / (1.0 + n as f64)),
        ("hardly", &|n| 2.0 - n as f64 / 300.0),
        ("not at all", &|_| 1.0),
        ("after a few", &|n| if n < 3 { 1e6 } else { 1.0 + 1.0 / (1.0 + n as f64) }),
        ("to nothing", &|n| if n < 5 { 1.0 } else { 0.0 }),
    ];
    for (name, value) in falls {
        let a = with_values::<T>(rows, columns, value);
        let what = format!("{}, {rows}×{columns}, values fall {name}", T::DTYPE);
        let (u, s, v, lost) = linalg::svd_cut(&a).max(count).eval().unwrap();
        let number = |x: T::Real| x.to_complex().re;
        let tolerance = 100.0 * epsilon::<T>() * (rows.max(columns) as f64).sqrt();
        let largest = value(0);
        for n in 0..count {
            assert!((number(s[[n]]) - value(n)).abs() <= tolerance * largest, "{what}: {} for {}", number(s[[n]]), value(n));
        }
        let image = (a.at("i,j") * v.at("k,j").conj()).eval("i,k").unwrap();
        let scaled = (u.at("i,k") * wide::<T>(&s).at("k,")).eval("i,k").unwrap();
        let off = image.as_slice().iter().zip(scaled.as_slice()).map(|(&x, &y)| (x - y).to_complex().norm()).fold(0.0, f64::max);
        assert!(off <= tolerance * largest, "{what}: off by {off:e}");
        let image = (a.at("i,j") * u.at("i,k").conj()).eval("k,j").unwrap();
        let scaled = (v.at("k,j") * wide::<T>(&s).at("k,")).eval("k,j").unwrap();
        let off = image.as_slice().iter().zip(scaled.as_slice()).map(|(&x, &y)| (x - y).to_complex().norm()).fold(0.0, f64::max);
        assert!(off <= tolerance * largest, "{what}: adjoint off by {off:e}");
        let one = unit::<T>(count, 1).view().chip(2, 0).unwrap().to_tensor().unwrap();
        close(&(u.at("i,m").conj() * u.at("i,n")).eval("m,n").unwrap(), &one, tolerance, &what);
        close(&(v.at("m,j") * v.at("n,j").conj()).eval("m,n").unwrap(), &one, tolerance, &what);
        let least = rows.min(columns);
        let squares = |from: usize| (from..least).map(|n| value(n).powi(2)).sum::<f64>();
        let weight = number(lost[[]]);
        assert!((weight - squares(count) / squares(0)).abs() <= tolerance, "{what}: weight {weight}");
    }
}

#[test]
fn truncations_are_as_accurate_as_full_decompositions() {
    truncations::<f64>(160, 160);
    truncations::<f64>(150, 220);
    truncations::<f64>(220, 150);
    truncations::<f32>(150, 160);
    truncations::<C>(150, 170);
    truncations::<C>(170, 150);
    truncations::<Complex<f32>>(150, 160);
}

/// A bound of an extent is the `max` of the truncation that makes it.
#[test]
fn rank_bound_is_the_most_that_is_kept() {
    let t = random::<f64>(30, &[6, 5]);
    let chi = 2;
    let (u, s, v) = tensor!(([i, r], [r], [r, j]) = svd(t[i, j]) where r: ..=chi);
    let (u2, s2, v2, lost) = tensor!(([i, r], [r], [r, j], []) = svd(t[i, j]; max = 2));
    assert_eq!((u.as_slice(), s.as_slice(), v.as_slice()), (u2.as_slice(), s2.as_slice(), v2.as_slice()));
    let (s3, weight) = tensor! {
        where r: ..=3;
        let (u[i, r], s[r], v[r, j], weight) = svd(t[i, j]; tol = 0.0);
        (s, weight)
    };
    assert_eq!(s3.extents(), [3]);
    assert!(weight < lost);
    // More than there are is no bound.
    let (_, s, _) = tensor!(([i, r], [r], [r, j]) = svd(t[i, j]) where r: ..=64);
    assert_eq!(s.extents(), [5]);
}

/// Eigenvalues of real matrices come in pairs of conjugates; rotations have known ones.
#[test]
fn eigenvalues_of_a_rotation() {
    let turn = Tensor::<f64>::from_slice([2, 2], &[0.6, -0.8, 0.8, 0.6]).unwrap();
    let quarter = Tensor::<f64>::from_slice([2, 2], &[0.0, -1.0, 1.0, 0.0]).unwrap();
    for (name, context) in devices() {
        let (e, x) = linalg::eig(&turn).eval_in(&context).unwrap();
        close(&e, &Tensor::from_slice([2], &[C::new(0.6, -0.8), C::new(0.6, 0.8)]).unwrap(), 1e-14, name);
        assert!((x[[0, 0]].norm() - 0.5f64.sqrt()).abs() < 1e-14, "{name}");
        let power = linalg::expm(&quarter).eval_in(&context).unwrap();
        let (sin, cos) = 1f64.sin_cos();
        close(&power, &Tensor::from_slice([2, 2], &[cos, -sin, sin, cos]).unwrap(), 1e-14, name);
    }
}
