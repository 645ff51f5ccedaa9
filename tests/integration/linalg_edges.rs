//! Linear algebra at the ends of what numbers hold: zero pivots, the smallest and the largest numbers, on both devices.

use num_complex::Complex;
use tensorwrapper::linalg;
use tensorwrapper::prelude::*;

fn devices() -> [(&'static str, Context); 2] {
    [("cpu", Context::cpu()), ("reference", Context::reference())]
}

fn diagonal(values: &[f64]) -> Tensor<f64> {
    Tensor::from_fn([values.len(), values.len()], |i| if i[0] == i[1] { values[i[0]] } else { 0.0 }).unwrap()
}

/// A diagonal of one number and, behind it, of others that are all the same.
fn begun(first: f64, rest: f64, order: usize) -> Tensor<f64> {
    diagonal(&[&[first][..], &vec![rest; order - 1]].concat())
}

#[test]
fn rank_deficient_matrices_have_triangular_factors() {
    let column =
        Tensor::<f64>::from_fn([9, 9], |i| if i[1] == 4 { 0.0 } else { ((i[0] * 7 + i[1] * 3) % 11) as f64 - 4.0 }).unwrap();
    let filled = |rows: usize, columns: usize, x: f64| Tensor::<f64>::filled([rows, columns], x).unwrap();
    let cases = [
        filled(3, 2, 0.0),
        filled(2, 3, 0.0),
        filled(3, 2, 1.0),
        filled(9, 9, 1.0),
        filled(20, 20, 1.0),
        filled(9, 9, 0.0),
        column,
    ];
    for (name, context) in devices() {
        for a in &cases {
            let (p, l, u) = linalg::lu(a).eval_in(&context).unwrap();
            let back = tensor!([i, j] = p[i, q] * l[q, r] * u[r, j]);
            let off = back.as_slice().iter().zip(a.as_slice()).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            assert!(off < 1e-12, "{name}, {:?}: {off}", a.extents());
            assert!(l.as_slice().iter().all(|x| x.abs() <= 1.0), "{name}, {:?}", a.extents());
        }
    }
}

#[test]
fn pivots_without_a_reciprocal_are_divided_by() {
    for (name, context) in devices() {
        for order in [2, 8, 9, 12, 20, 40] {
            let a = begun(1e-310, 1.0, order);
            assert_eq!(linalg::det(&a).eval_in(&context).unwrap()[[]], 1e-310, "{name}, {order}");
            let b = Tensor::<f64>::from_fn([order, 1], |i| a[[i[0], i[0]]]).unwrap();
            let x = linalg::solve(&a, &b).eval_in(&context).unwrap();
            assert!(x.as_slice().iter().all(|x| (x - 1.0).abs() < 1e-12), "{name}, {order}: {x}");
            let x = linalg::triangular_solve(&a, &b).eval_in(&context).unwrap();
            assert!(x.as_slice().iter().all(|x| (x - 1.0).abs() < 1e-12), "{name}, {order}: {x}");
        }
    }
}

#[test]
fn determinants_stay_accurate_in_between() {
    for (name, context) in devices() {
        for (values, expected) in [
            (&[1e-160, 1e-160, 1e160][..], 1e-160),
            (&[1e200, 1e200, 1e-200, 1e-200], 1.0),
            (&[1e-200, 1e-200, 1e200, -1e200], -1.0),
            (&[3.0, 5.0], 15.0),
        ] {
            let det = linalg::det(&diagonal(values)).eval_in(&context).unwrap()[[]];
            assert!((det / expected - 1.0).abs() < 1e-13, "{name}: {det} for {expected}");
        }
        assert_eq!(linalg::det(&diagonal(&[1e-200, 1e-200])).eval_in(&context).unwrap()[[]], 0.0, "{name}");
        let error = linalg::det(&diagonal(&[1e200, 1e200])).eval_in(&context).unwrap_err();
        assert_eq!(error.to_string(), "the result of `det` of a 2×2 matrix is larger than the numbers of its type", "{name}");
    }
}

#[test]
fn large_numbers_are_pivots() {
    let a = Tensor::<f64>::from_slice([2, 2], &[1e160, 1e300, 1e300, 1e300]).unwrap();
    let b = Tensor::<f64>::from_slice([2, 1], &[1e300, 2e300]).unwrap();
    for (name, context) in devices() {
        let x = linalg::solve(&a, &b).eval_in(&context).unwrap();
        assert!(x.as_slice().iter().all(|x| (x - 1.0).abs() < 1e-12), "{name}: {x}");
    }
}

#[test]
fn overflow_is_reported() {
    let huge = |rows: usize, columns: usize| Tensor::<f64>::filled([rows, columns], 1.7e308).unwrap();
    for (name, context) in devices() {
        let errors = [
            linalg::eigh(&huge(2, 2)).eval_in(&context).map(drop),
            linalg::svd(&huge(2, 2)).eval_in(&context).map(drop),
            linalg::qr(&huge(2, 1)).eval_in(&context).map(drop),
        ];
        for error in errors {
            let error = error.unwrap_err().to_string();
            assert!(error.ends_with("is larger than the numbers of its type"), "{name}: {error}");
        }
    }
}

#[test]
fn smallest_numbers_have_triangular_factors() {
    for (name, context) in devices() {
        for unit in [1e-310, 1e-200, 1e200] {
            let a = Tensor::<f64>::from_slice([2, 1], &[3.0 * unit, 4.0 * unit]).unwrap();
            let (q, r) = linalg::qr(&a).eval_in(&context).unwrap();
            assert!((r[[0, 0]] / unit - 5.0).abs() < 1e-9 * 5.0, "{name}, {unit}: {r}");
            assert!((q[[0, 0]] - 0.6).abs() < 1e-9 && (q[[1, 0]] - 0.8).abs() < 1e-9, "{name}, {unit}: {q}");
        }
    }
}

/// What is known of the other singular values is a difference of rounded numbers.
#[test]
fn single_precision_is_truncated_at_its_rank() {
    let low = |rows: usize, k: f32| {
        Tensor::<f32>::from_fn([rows, 5], |i| ((i[0] * (2 * i[1] + 3) + 5 * i[1]) % 97) as f32 * k - 9.0).unwrap()
    };
    for seed in [0.37, 0.53, 0.71, 0.91] {
        let (x, y) = (low(200, seed), low(200, seed + 0.11));
        let a = tensor!([i, j] = x[i, r] * y[j, r]);
        let (u, s, v, lost) = tensor!(([i, r], [r], [r, j], []) = svd(a[i, j]; max = 16, tol = 1e-10));
        assert_eq!((s.extents(), u.extents(), v.extents()), (&[5][..], &[200, 5][..], &[5, 200][..]), "{seed}: {s}, {lost}");
    }
}

/// Elements that differ, with a long diagonal.
fn regular<T: Element>(order: usize, batch: usize) -> Tensor<T> {
    Tensor::from_fn([order, order, batch], |i| {
        let x = ((i[0] * 7 + i[1] * 3 + i[2]) % 11) as f64 / 11.0;
        T::from_complex(Complex::new(if i[0] == i[1] { order as f64 } else { x }, 0.5 - x))
    })
    .unwrap()
}

fn systems<T: Element>(tolerance: f64) {
    for (name, context) in devices() {
        for (order, sides, batch) in [(15, 4, 1), (16, 1, 1), (20, 3, 2), (40, 40, 1), (260, 3, 2), (512, 1, 1)] {
            // Loops that are not compiled for speed take long.
            if name == "reference" && order > 100 {
                continue;
            }
            let a = regular::<T>(order, batch);
            let b = Tensor::<T>::from_fn([order, sides, batch], |i| {
                T::from_complex(Complex::new(i[0] as f64 - i[1] as f64, (i[1] + i[2]) as f64))
            })
            .unwrap();
            let what = format!("{name}, {order}×{order} with {sides} and {batch}");
            let off = |x: &[T], b: &[T]| {
                let pairs = x.iter().zip(b);
                pairs.map(|(x, b)| (x.to_complex() - b.to_complex()).norm()).fold(0.0, f64::max) / order as f64
            };
            let x = linalg::solve(&a, &b).eval_in(&context).unwrap();
            assert!(off(tensor!([i, j, n] = a[i, k, n] * x[k, j, n]).as_slice(), b.as_slice()) < tolerance, "{what}");
            // Batch first, and the right side in another order.
            let x = tensor! { in &context; let x[n, j, k] = solve(a[i, k, n], b[i, j, n]); x };
            assert!(off(tensor!([i, j, n] = a[i, k, n] * x[n, j, k]).as_slice(), b.as_slice()) < tolerance, "{what}");
            let x = linalg::inv(&a).eval_in(&context).unwrap();
            assert!(
                off(tensor!([k, j, n] = x[k, i, n] * a[i, l, n] * x[l, j, n]).as_slice(), x.as_slice()) < tolerance,
                "{what}"
            );
            let upper =
                Tensor::<T>::from_fn([order, order, batch], |i| if i[0] <= i[1] { a[[i[0], i[1], i[2]]] } else { T::ZERO });
            let upper = upper.unwrap();
            let x = linalg::triangular_solve(&a, &b).upper().eval_in(&context).unwrap();
            assert!(off(tensor!([i, j, n] = upper[i, k, n] * x[k, j, n]).as_slice(), b.as_slice()) < tolerance, "{what}");
            let x = linalg::matpow(&a, -2).eval_in(&context).unwrap();
            let unit = tensor!([i, j, n] = a[i, k, n] * a[k, l, n] * x[l, j, n]);
            let one = Tensor::<T>::from_fn([order, order, batch], |i| if i[0] == i[1] { T::ONE } else { T::ZERO }).unwrap();
            assert!(off(unit.as_slice(), one.as_slice()) < tolerance, "{what}");
        }
    }
}

#[test]
fn large_systems_are_solved_in_any_order_of_axes() {
    systems::<f32>(1e-4);
    systems::<f64>(1e-12);
    systems::<Complex<f32>>(1e-4);
    systems::<Complex<f64>>(1e-12);
}

fn not_finite<T: Element>() {
    for (name, context) in devices() {
        for order in [3, 9, 20, 40] {
            let (fine, last) = (regular::<T>(order, 1), order - 1);
            let fine = Tensor::<T>::from_fn([order, order], |i| fine[[i[0], i[1], 0]] + fine[[i[1], i[0], 0]].conj()).unwrap();
            let right = Tensor::<T>::filled([order, 3], T::ONE).unwrap();
            for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let x = T::from_complex(wrong.into());
                for at in [[0, 0], [last, 0], [last, last - 1], [last, last]] {
                    let mut a = fine.clone();
                    a[at] = x;
                    let errors = [
                        linalg::cholesky(&a).eval_in(&context).unwrap_err(),
                        linalg::solve(&a, &right).eval_in(&context).unwrap_err(),
                        linalg::inv(&a).eval_in(&context).unwrap_err(),
                        linalg::lu(&a).eval_in(&context).unwrap_err(),
                        linalg::qr(&a).eval_in(&context).unwrap_err(),
                    ];
                    for error in errors {
                        let text = error.to_string();
                        assert!(text.contains(&format!("the {order}×{order} matrix of")), "{name}, {wrong} at {at:?}: {text}");
                        assert!(text.ends_with("holds NaN or infinity"), "{name}, {wrong} at {at:?}: {text}");
                    }
                }
                // Above the diagonal, of which a factor of Cholesky knows nothing.
                for at in [[0, 1], [0, last]] {
                    let mut a = fine.clone();
                    a[at] = x;
                    let errors = [
                        linalg::solve(&a, &right).eval_in(&context).unwrap_err(),
                        linalg::inv(&a).eval_in(&context).unwrap_err(),
                        linalg::lu(&a).eval_in(&context).unwrap_err(),
                        linalg::qr(&a).eval_in(&context).unwrap_err(),
                    ];
                    for error in errors {
                        assert!(error.to_string().ends_with("holds NaN or infinity"), "{name}, {wrong} at {at:?}: {error}");
                    }
                    let plain = linalg::cholesky(&fine).eval_in(&context).map_err(|error| error.to_string());
                    let beside = linalg::cholesky(&a).eval_in(&context).map_err(|error| error.to_string());
                    assert_eq!(beside, plain, "{name}, {wrong} at {at:?}");
                }
                for row in [0, last] {
                    let mut b = right.clone();
                    b[[row, 1]] = x;
                    let text = linalg::solve(&fine, &b).eval_in(&context).unwrap_err().to_string();
                    assert_eq!(text, format!("the {order}×3 right side of `solve` holds NaN or infinity"), "{name}");
                }
            }
        }
    }
}

#[test]
fn elements_that_are_not_finite_are_reported() {
    not_finite::<f32>();
    not_finite::<f64>();
    not_finite::<Complex<f32>>();
    not_finite::<Complex<f64>>();
}

/// A column so small that reciprocals of its length are beyond the numbers, beside one of ordinary size.
fn lone_small_columns<T: Element>(small: f64) {
    for (name, context) in devices() {
        let (x, one) = (T::from_complex(small.into()), T::ONE);
        let a = Tensor::<T>::from_fn([2, 2], |i| if i[1] == 0 { x } else { one }).unwrap();
        let (q, r) = linalg::qr(&a).eval_in(&context).unwrap();
        let length = r[[0, 0]].to_complex().re / small;
        assert!((length - 2f64.sqrt()).abs() < 1e-3, "{name}: {r:?}");
        assert!(q.as_slice().iter().all(|q| (q.to_complex().norm() - 0.5f64.sqrt()).abs() < 1e-3), "{name}: {q:?}");
        let diagonal = Tensor::<T>::from_fn([2, 2], |i| {
            if i[0] != i[1] {
                T::ZERO
            } else if i[0] == 0 {
                one
            } else {
                x
            }
        })
        .unwrap();
        let (u, s, v) = linalg::svd(&diagonal).eval_in(&context).unwrap();
        let is_unit = |i: usize, j: usize, x: T| (x.to_complex().norm() - f64::from(i == j)).abs() < 1e-3;
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            assert!(is_unit(i, j, u[[i, j]]) && is_unit(i, j, v[[i, j]]), "{name}: {u:?} {s:?} {v:?}");
        }
    }
}

#[test]
fn small_columns_beside_large_ones_keep_their_factors() {
    lone_small_columns::<f32>(1e-20);
    lone_small_columns::<Complex<f32>>(1e-20);
    lone_small_columns::<f64>(1e-158);
    lone_small_columns::<Complex<f64>>(1e-158);
}

/// What elimination takes out of the range is scaled, and what is too large then is said.
#[test]
fn determinants_with_pivots_out_of_range() {
    for (name, context) in devices() {
        let turn = |i: usize, j: usize| if i == 1 && j == 0 { -1.0 } else { 1.0 };
        let a = Tensor::<f64>::from_fn([2, 2], |i| 1e308 * turn(i[0], i[1])).unwrap();
        assert!(linalg::det(&a).eval_in(&context).is_err(), "{name}");
        let (sign, logarithm) = linalg::slogdet(&a).eval_in(&context).unwrap();
        let expected = 2.0 * 1e308f64.ln() + 2.0f64.ln();
        assert!(sign[[]] == 1.0 && (logarithm[[]] - expected).abs() < 1e-11, "{name}: {logarithm:?}");
        // The same beside small numbers, so that the determinant is a number: 2·10⁶¹⁶·(10⁻³⁰⁰)².
        let element = |i: &[usize]| match (i[0] < 2, i[1] < 2) {
            (true, true) => 1e308 * turn(i[0], i[1]),
            (false, false) if i[0] == i[1] => 1e-300,
            _ => 0.0,
        };
        let a = Tensor::<f64>::from_fn([4, 4], element).unwrap();
        let found = linalg::det(&a).eval_in(&context).unwrap()[[]];
        assert!((found / 2e16 - 1.0).abs() < 1e-10, "{name}: {found}");
        let a: StaticTensor<f64, Shape![4, 4]> = StaticTensor::from_fn(|i| element(&[i[0], i[1]]));
        let found = tensor!([] = det(a[i, j]));
        assert!((found / 2e16 - 1.0).abs() < 1e-10, "{name}: {found}");
        // What no scaling of rows serves is refused, and not called singular.
        let rows = [[1.5e308, 1e308, 0.0], [-1.5e308, 1e308, 0.0], [1e308, 0.0, 1e-200]];
        let uneven = Tensor::<f64>::from_fn([3, 3], |i| rows[i[0]][i[1]]).unwrap();
        assert!(linalg::det(&uneven).eval_in(&context).is_err(), "{name}");
        assert!(linalg::slogdet(&uneven).eval_in(&context).is_err(), "{name}");
        let zeros = Tensor::<f64>::from_fn([2, 2], |i| 1e308 * f64::from(i[1] == 0)).unwrap();
        let (sign, logarithm) = linalg::slogdet(&zeros).eval_in(&context).unwrap();
        assert_eq!((sign[[]], logarithm[[]]), (0.0, f64::NEG_INFINITY), "{name}");
        for order in [5, 8, 9, 17] {
            let plain = regular::<Complex<f64>>(order, 1);
            let plain = Tensor::<Complex<f64>>::from_fn([order, order], |i| plain[[i[0], i[1], 0]]).unwrap();
            let scale = 1e308 / order as f64 / 2.0;
            let large = Tensor::<Complex<f64>>::from_fn([order, order], |i| plain[[i[0], i[1]]] * scale).unwrap();
            let (sign, logarithm) = linalg::slogdet(&plain).eval_in(&context).unwrap();
            let (same_sign, larger) = linalg::slogdet(&large).eval_in(&context).unwrap();
            assert!((sign[[]] - same_sign[[]]).norm() < 1e-12, "{name}, {order}");
            let off = larger[[]] - logarithm[[]] - order as f64 * scale.ln();
            assert!(off.abs() < 1e-13 * larger[[]], "{name}, {order}: {off}");
        }
    }
}

fn near<T: Element, S: Extents, E: Extents>(tolerance: f64, found: &Tensor<T, S>, expected: &Tensor<T, E>, what: &str) {
    let pairs = found.as_slice().iter().zip(expected.as_slice());
    let off = pairs.map(|(x, y)| (x.to_complex() - y.to_complex()).norm()).fold(0.0, f64::max);
    assert!(found.extents() == expected.extents() && off < tolerance, "{what}: {off}");
}

/// Of orders that are no multiples of vectors, and of those that are; in any order of axes; NaN where nothing is read.
fn definite<T: Element>(tolerance: f64) {
    let context = Context::cpu().threads(1);
    for order in [9, 15, 16, 24, 33, 40, 64, 72, 130] {
        let s = regular::<T>(order, 1);
        let s = tensor!([i, j] = s[i, k, 0] * conj(s[j, k, 0]));
        let nan = T::from_complex(f64::NAN.into());
        let a = Tensor::<T>::from_fn([order, order], |i| if i[0] < i[1] { nan } else { s[[i[0], i[1]]] }).unwrap();
        let turned = tensor!([j, i] = a[i, j]);
        let tolerance = tolerance * (order * order) as f64;
        let what = format!("cholesky of {order}");
        let l = tensor! { in &context; let l[i, k] = cholesky(a[i, j]); l };
        assert!((0..order).all(|i| (i + 1..order).all(|j| l[[i, j]] == T::ZERO)), "{what}");
        near(tolerance, &tensor!([i, j] = l[i, k] * conj(l[j, k])), &s, &what);
        let same = tensor! { in &context; let l[k, i] = cholesky(turned[j, i]); l };
        near(tolerance, &tensor!([i, k] = same[k, i]), &l, &what);
        for pivot in [0, 7, 8, order - 1] {
            let bad = |i: &[usize]| if *i == [pivot, pivot] { -T::ONE } else { a[[i[0], i[1]]] };
            let bad = Tensor::<T>::from_fn([order, order], bad).unwrap();
            let error = linalg::cholesky(&bad).eval_in(&context).unwrap_err().to_string();
            assert!(error.contains(&format!("its pivot {pivot} is not positive")), "{what}: {error}");
        }
        let infinite = |i: &[usize]| if *i == [order - 1, 3] { T::from_complex(f64::INFINITY.into()) } else { a[[i[0], i[1]]] };
        let infinite = Tensor::<T>::from_fn([order, order], infinite).unwrap();
        let error = linalg::cholesky(&infinite).eval_in(&context).unwrap_err().to_string();
        assert!(error.contains("holds NaN or infinity"), "{what}: {error}");
    }
}

/// Triangles beside each other, and rows that no vector ends with.
fn oblong<T: Element>(tolerance: f64) {
    let context = Context::cpu().threads(1);
    for (rows, columns) in [(40, 30), (30, 40), (64, 64), (37, 53), (130, 33)] {
        let all = regular::<T>(rows.max(columns), 1);
        let a = Tensor::<T>::from_fn([rows, columns], |i| all[[i[0] * 17 % rows, i[1], 0]]).unwrap();
        let tolerance = tolerance * (rows * columns) as f64;
        let (q, r) = linalg::qr(&a).eval_in(&context).unwrap();
        near(tolerance, &tensor!([i, j] = q[i, k] * r[k, j]), &a, &format!("qr of {rows}×{columns}"));
        let unit = Tensor::<T>::from_fn([q.extents()[1]; 2], |i| if i[0] == i[1] { T::ONE } else { T::ZERO }).unwrap();
        near(tolerance, &tensor!([k, l] = conj(q[i, k]) * q[i, l]), &unit, &format!("Q of {rows}×{columns}"));
        let (p, l, u) = linalg::lu(&a).eval_in(&context).unwrap();
        near(tolerance, &tensor!([i, j] = p[i, n] * l[n, m] * u[m, j]), &a, &format!("lu of {rows}×{columns}"));
        let inner = rows.min(columns);
        let zero = |i: usize, j: usize, x: T| i <= j || x == T::ZERO;
        assert!((0..inner).all(|i| (0..columns).all(|j| zero(i, j, u[[i, j]]) && zero(i, j, r[[i, j]]))), "{rows}×{columns}");
        assert!((0..rows).all(|i| (0..inner).all(|j| zero(j, i, l[[i, j]]))), "{rows}×{columns}");
    }
}

#[test]
fn factors_of_all_sizes_multiply_to_the_matrix() {
    definite::<f32>(1e-5);
    definite::<f64>(1e-14);
    definite::<Complex<f32>>(1e-5);
    definite::<Complex<f64>>(1e-14);
    oblong::<f32>(1e-5);
    oblong::<f64>(1e-14);
    oblong::<Complex<f32>>(1e-5);
    oblong::<Complex<f64>>(1e-14);
}

/// Faults of functions name their arguments as their pages do.
#[test]
fn functions_name_their_arguments() {
    let (a, v, two) =
        (Tensor::<f64>::ones([3, 3]).unwrap(), Tensor::<f64>::ones([3]).unwrap(), Tensor::<f64>::ones([2]).unwrap());
    let told = linalg::svd(&v).eval().map(|_| ()).unwrap_err().to_string();
    assert_eq!(told, "`A` holds matrices, so its rank is 2 or more, and here it is 1");
    let number = Tensor::<f64>::ones([]).unwrap();
    let told = linalg::norm(&number).eval().map(|_| ()).unwrap_err().to_string();
    assert_eq!(told, "`A` holds vectors, so its rank is 1 or more, and here it is 0");
    let told = linalg::solve(&a, &two).eval().map(|_| ()).unwrap_err().to_string();
    assert_eq!(told, "index `i` has extent 3 in `A` but 2 in `B`");
}
