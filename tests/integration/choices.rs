//! `select(C; X, Y)` and `clip(X, a, b)`: against plain loops, on every device, in every form of equation, and their derivatives.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tensorwrapper::prelude::*;
use tensorwrapper::{Context, Element, Indexed};

type Matrix<T> = Tensor<T, Shape![_, _]>;
type Vector<T> = Tensor<T, Shape![_]>;

/// Small whole numbers, so that many are equal; some are no numbers.
fn drawn<T: Element>(rng: &mut StdRng, n: usize, m: usize) -> Matrix<T> {
    Tensor::from_fn((n, m), |_| {
        let mut part = || f64::from(rng.random_range(-3i32..=3));
        let number = Complex::new(part(), part());
        T::from_complex(if rng.random_bool(0.1) { Complex::new(f64::NAN, 0.0) } else { number })
    })
    .unwrap()
}

fn places<T: Element>(of: &Matrix<T>) -> impl Iterator<Item = [usize; 2]> + use<T> {
    let (rows, columns) = (of.extents()[0], of.extents()[1]);
    (0..rows).flat_map(move |i| (0..columns).map(move |j| [i, j]))
}

fn vector<T: Element>(elements: &[T]) -> Vector<T> {
    Tensor::from_slice((elements.len(),), elements).unwrap()
}

/// Equal, where what is no number equals what is no number.
fn same<T: Element>(found: &Matrix<T>, expected: impl Fn(usize, usize) -> T) {
    for [i, j] in places(found) {
        let (found, expected) = (found[[i, j]], expected(i, j));
        #[expect(clippy::eq_op, reason = "only a NaN differs from itself")]
        let both_nan = found != found && expected != expected;
        assert!(found == expected || both_nan, "{found} instead of {expected} at {i}, {j}");
    }
}

fn contexts() -> [Context; 3] {
    [Context::reference(), Context::cpu().threads(1), Context::cpu()]
}

fn choose<T>(holds: bool, x: T, y: T) -> T {
    if holds { x } else { y }
}

/// Sizes of one element, of a few, with remainders of vectors, and with more than one chunk.
const SIZES: [(usize, usize); 5] = [(1, 1), (2, 3), (7, 9), (3, 130), (40, 1500)];

fn real<T: Element + PartialOrd>(rng: &mut StdRng)
where
    f64: Into<Complex<f64>>,
{
    let number = |x: f64| T::from_complex(x.into());
    for (n, m) in SIZES {
        let (a, b, v): (Matrix<T>, Matrix<T>, Matrix<T>) = (drawn(rng, n, m), drawn(rng, n, m), drawn(rng, 1, m));
        let at = |t: &Matrix<T>, i: usize, j: usize| t[[i, j]];
        for context in &contexts() {
            let found = tensor! { in context; [i, j] = select(a[i, j] < b[i, j]; a[i, j], v[0, j]) };
            same(&found, |i, j| choose(at(&a, i, j) < at(&b, i, j), at(&a, i, j), at(&v, 0, j)));
            let found = tensor! { in context; [i, j] = select(a[i, j] <= v[0, j]; 1.0, -1.0) };
            same(&found, |i, j| number(choose(at(&a, i, j) <= at(&v, 0, j), 1.0, -1.0)));
            let found = tensor! { in context; [i, j] = select(v[0, j] > 0.0; b[i, j], a[i, j]) };
            same(&found, |i, j| choose(at(&v, 0, j) > T::ZERO, at(&b, i, j), at(&a, i, j)));
            let found = tensor! { in context; [i, j] = 2.0 * select(2.0 * a[i, j] >= b[i, j] - 1.0; 0.0, b[i, j]) };
            same(&found, |i, j| choose(number(2.0) * at(&a, i, j) >= at(&b, i, j) - T::ONE, T::ZERO, number(2.0) * at(&b, i, j)));
            let found =
                tensor! { in context; [i, j] = select(!(a[i, j] == 1.0 || b[i, j] > 0.0) && v[0, j] != 2.0; a[i, j], 5.0) };
            same(&found, |i, j| {
                let holds = !(at(&a, i, j) == T::ONE || at(&b, i, j) > T::ZERO) && at(&v, 0, j) != number(2.0);
                choose(holds, at(&a, i, j), number(5.0))
            });
            let found = tensor! { in context; [i, j] = clip(a[i, j], -1.0, v[0, j]) };
            same(&found, |i, j| {
                let (x, high) = (at(&a, i, j), at(&v, 0, j));
                choose(x < -T::ONE, -T::ONE, choose(x > high, high, x))
            });
            // A comparison counts, and stands in the condition of another choice.
            let count: T = tensor! { in context; [] = sum(i, j; select(select(a[i, j] > 0.0; b[i, j], 1.0) == 1.0; 1.0, 0.0)) };
            let expected = places(&a).filter(|&[i, j]| choose(at(&a, i, j) > T::ZERO, at(&b, i, j), T::ONE) == T::ONE).count();
            assert_eq!(count, number(expected as f64));
        }
    }
}

/// A comparison without free labels is a plain `bool`, as another equation without them is a plain number.
#[test]
fn plain_truth_values() {
    let x = vector(&[0.5, -2.0, 1.0]);
    let whole = Tensor::<i64, Shape![3]>::from_array([1, -2, 3]).unwrap();
    let (mask, fixed) = (Tensor::<bool, Shape![2]>::from_array([true, false]).unwrap(), StaticTensor::new([3.0, 4.0]));
    let (low, high) = (-1.0, 1.0);
    for context in &contexts() {
        let any: bool = tensor! { in context; [] = min(i; x[i]) < low };
        let all: bool = tensor! { in context; [] = min(i; x[i]) > low || sum(i; x[i]) > high };
        assert_eq!((any, all), (true, false));
        let (positive, mut y): (bool, Vector<f64>) = tensor! {
            in context;
            let c = sum(i; x[i]) > 0.0;
            let y[i] = select(c[]; x[i], -x[i]);
            (c, y)
        };
        assert_eq!((positive, y.as_slice()), (false, &[-0.5, 2.0, -1.0][..]));
        // Into an existing tensor, by a truth value of the block.
        tensor! { in context; let c = !(y[0] >= 0.0); y[i] += select(c[]; 1.0[i], 0.0[i]); };
        assert_eq!(y.as_slice(), [0.5, 3.0, 0.0]);
        assert!(try_tensor! { in context; [] = sum(i; whole[i]) == 2 }.unwrap());
        assert!(tensor! { in context; [] = mask[0] && !mask[1] });
        assert!(!tensor! { in context; [] = low > high });
    }
    assert!(tensor!([] = fixed[0] * fixed[0] + fixed[1] * fixed[1] == 25.0));
    // A recording has numbers, as of all comparisons.
    let graph = Graph::new();
    let recorded = tensor! { in &graph; let c = sum(i; x[i]) < 0.0; c };
    assert_eq!(recorded.eval().unwrap().as_slice(), [1.0]);
}

#[test]
fn of_real_numbers() {
    let rng = &mut StdRng::seed_from_u64(1);
    real::<f64>(rng);
    real::<f32>(rng);
}

fn complex<T: Element>(rng: &mut StdRng) {
    for (n, m) in SIZES {
        let (z, w): (Matrix<T>, Matrix<T>) = (drawn(rng, n, m), drawn(rng, n, m));
        let r: Matrix<T::Real> = drawn(rng, n, m);
        for context in &contexts() {
            let found = tensor! { in context; [i, j] = select(z[i, j] == w[i, j]; z[i, j], conj(w[i, j])) };
            same(&found, |i, j| choose(z[[i, j]] == w[[i, j]], z[[i, j]], w[[i, j]].conj()));
            let found = tensor! { in context; [i, j] = select(im(z[i, j]) >= re(w[i, j]); z[i, j], 0.0) };
            same(&found, |i, j| choose(z[[i, j]].im() >= w[[i, j]].re(), z[[i, j]], T::ZERO));
            // A real tensor has an order in an equation over complex numbers, too.
            let found = tensor! { in context; [i, j] = select(r[i, j] > 0.0; z[i, j], w[i, j]) };
            same(&found, |i, j| choose(r[[i, j]].re() > T::Real::ZERO.re(), z[[i, j]], w[[i, j]]));
            let error = try_tensor! { in context; [i, j] = select(z[i, j] > 0.0; z[i, j], w[i, j]) }.unwrap_err().to_string();
            assert!(error.starts_with(&format!("`<` and its like need an order, which `{}` has not", T::DTYPE)), "{error}");
        }
    }
}

#[test]
fn of_complex_numbers() {
    let rng = &mut StdRng::seed_from_u64(2);
    complex::<Complex<f64>>(rng);
    complex::<Complex<f32>>(rng);
}

#[test]
fn forms_of_equations_agree() {
    let rng = &mut StdRng::seed_from_u64(3);
    let (a, b): (Matrix<f64>, Matrix<f64>) = (drawn(rng, 4, 5), drawn(rng, 5, 4));
    let expected = tensor!([i, j] = select(a[i, j] > b[j, i] && !(a[i, j] == 2.0); a[i, j], clip(b[j, i], -1.0, 1.0)));
    let same = |found: &Matrix<f64>| same(found, |i, j| expected[[i, j]]);
    // Chains of operators.
    let mask = a.at("ij").greater(b.at("ji")) & !a.at("ij").equal(2.0);
    same(&mask.select(a.at("ij"), b.at("ji").clip(-1.0, 1.0)).eval("ij").unwrap().into_typed().unwrap());
    let either = a.at("ij").less_equal(b.at("ji")) | a.at("ij").equal(2.0);
    same(
        &either.select(b.at("ji").clip(-1.0, 1.0), a.at("ij")).eval("ij").unwrap().into_typed().unwrap_or_else(|e| panic!("{e}")),
    );
    // Recorded, and written as text that is read again.
    let graph = Graph::new();
    let recorded =
        tensor! { in &graph; let c[i, j] = select(a[i, j] > b[j, i] && !(a[i, j] == 2.0); a[i, j], clip(b[j, i], -1.0, 1.0)); c };
    same(&recorded.eval().unwrap());
    let text = Context::cpu().explain((&recorded,)).unwrap().equations().unwrap().to_string();
    assert!(text.contains("select(") && text.contains(" && !("), "{text}");
    // Into a part of a tensor, twice by an exchange, in a block, prepared, by views.
    let mut c = Tensor::<f64, Shape![_, _]>::zeros((4, 5)).unwrap();
    tensor!(c[i, j in 1..3] += select(a[i, j in 1..3] > b[j in 1..3, i] && !(a[i, j in 1..3] == 2.0); a[i, j in 1..3], clip(b[j in 1..3, i], -1.0, 1.0)));
    for [i, j] in places(&c) {
        let wanted = if (1..3).contains(&j) { expected[[i, j]] } else { 0.0 };
        assert!(c[[i, j]] == wanted || c[[i, j]].is_nan() && wanted.is_nan());
    }
    let square = Tensor::<f64, Shape![3, 3]>::from_fn((Const, Const), |i| i[0] as f64 - 1.0 + 0.5 * i[1] as f64).unwrap();
    let exchanged = tensor!([i, j] = asym(i, j; select(square[i, j] > 0.0; square[i, j], 2.0 * square[j, i])));
    let plain = tensor!([i, j] = select(square[i, j] > 0.0; square[i, j], 2.0 * square[j, i]));
    assert_eq!(exchanged, tensor!([i, j] = plain[i, j] - plain[j, i]));
    // The elements of static tensors are compared in place.
    let fixed = StaticTensor::new([[0.5, -1.0], [f64::NAN, 2.0]]);
    let chosen: StaticTensor<f64, Shape![2, 2]> =
        tensor!([i, j] = select(fixed[i, j] >= 0.5 || fixed[j, i] == -1.0; fixed[i, j], 7.0));
    let moved = fixed.to_tensor().unwrap();
    let wanted = tensor!([i, j] = select(moved[i, j] >= 0.5 || moved[j, i] == -1.0; moved[i, j], 7.0));
    assert!(
        chosen.to_tensor().unwrap().iter().zip(&wanted).all(|(x, y)| x == y || x.is_nan() && y.is_nan()),
        "{chosen} {wanted}"
    );
}

/// Derivatives of each branch where it is taken. Where it is not, an infinite slope does not count.
#[test]
fn derivatives() {
    let x = vector(&[-2.0f64, -0.5, 0.0, 0.5, 3.0]);
    let w = vector(&[1.0f64, 2.0, 3.0, 4.0, 5.0]);
    let (first, second, along): (Vector<f64>, Vector<f64>, Vector<f64>) = tensor! {
        let y[i] = select(x[i] > 0.0; sqrt(x[i]) * w[i], x[i] * x[i]);
        let L = sum(i; y[i]);
        let g[i] = grad(L; x[i]);
        let G = w[i] * g[i];
        let h[i] = grad(G; x[i]);
        let d[i] = grad(y[i]; x[k]) * w[k];
        (g, h, d)
    };
    let at = |i: usize| (x[[i]], w[[i]]);
    for i in 0..5 {
        let (x, w) = at(i);
        let (slope, curvature) = if x > 0.0 { (0.5 * w / x.sqrt(), -0.25 * w * x.powf(-1.5)) } else { (2.0 * x, 2.0) };
        let near = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-14, "{found} instead of {wanted} at {x}");
        near(first[[i]], slope);
        near(second[[i]], w * curvature);
        near(along[[i]], slope * w);
    }
    // What is compared has no derivative; the bounds of `clip` have one where they are the result.
    let (by_x, by_bound): (Vector<f64>, Vector<f64>) = tensor! {
        let L = sum(i; w[i] * clip(x[i], -1.0, 0.1 * w[i]));
        let (g[i], b[i]) = grad(L; x[i], w[i]);
        (g, b)
    };
    assert_eq!(by_x.as_slice(), [0.0, 2.0, 3.0, 0.0, 0.0]);
    let wanted = [-1.0, -0.5, 0.0, 0.4 + 0.4, 0.5 + 0.5];
    assert!(by_bound.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-15), "{by_bound}");
}

/// Of complex values, chosen by real ones, and through a cast.
#[test]
fn derivatives_of_complex_values() {
    let r = vector(&[-1.0, 0.0, 2.0]);
    let z = vector(&[Complex::new(1.0, 2.0), Complex::new(0.0, 0.0), Complex::new(-3.0, 0.5)]);
    let gradient: Vector<Complex<f64>> = tensor! {
        let y[i] = select(r[i] > 0.0; 1.0 / z[i], z[i] * z[i]);
        let L = sum(i; cast(f64; re(y[i])));
        let g[i] = grad(L; z[i]);
        g
    };
    let wanted: Vec<Complex<f64>> =
        r.iter().zip(&z).map(|(r, z)| if *r > 0.0 { -(z * z).inv().conj() } else { 2.0 * z.conj() }).collect();
    assert!(gradient.iter().zip(&wanted).all(|(found, wanted)| (found - wanted).norm() < 1e-15), "{gradient} {wanted:?}");
    // The slope of the logarithm at zero is infinite, and the choice is made in another type.
    let single = vector(&[-1.0f32, 0.0, 2.0]);
    let by_single: Tensor<f32, Shape![_]> = tensor! {
        let y[i] = select(r[i] > 0.0; cast(f64; ln(single[i])), r[i]);
        let L = sum(i; cast(f32; y[i]));
        let g[i] = grad(L; single[i]);
        g
    };
    assert_eq!(by_single.as_slice(), [0.0, 0.0, 0.5]);
}

#[test]
fn conditions_of_chains_are_bounded() {
    let a = vector(&[1.0, 2.0]);
    let mut mask = a.at("i").less(1.5);
    for _ in 0..70 {
        mask = mask & a.at("i").greater(0.0);
    }
    let error = mask.select(a.at("i"), 0.0).eval("i").unwrap_err().to_string();
    assert!(error.contains("at most 64 comparisons"), "{error}");
    let summed = Indexed::from(1.0).less(a.at("i")).select(1.0, 0.0).sum("i").eval("").unwrap();
    assert_eq!(summed[[]], 1.0);
}

/// Comparisons as right sides, and tensors of truth values as conditions.
#[test]
fn truth_values() {
    let rng = &mut StdRng::seed_from_u64(4);
    for (n, m) in SIZES {
        let (a, b, v): (Matrix<f64>, Matrix<f64>, Matrix<f64>) = (drawn(rng, n, m), drawn(rng, n, m), drawn(rng, 1, m));
        for context in &contexts() {
            let mask: Tensor<bool, Shape![_, _]> = tensor! { in context; [i, j] = a[i, j] > v[0, j] && !(b[i, j] == 0.0) };
            for [i, j] in places(&a) {
                assert_eq!(mask[[i, j]], a[[i, j]] > v[[0, j]] && b[[i, j]] != 0.0);
            }
            let chosen = tensor! { in context; [i, j] = select(mask[i, j]; a[i, j], v[0, j]) };
            same(&chosen, |i, j| choose(mask[[i, j]], a[[i, j]], v[[0, j]]));
            // Of views, in any order of axes, negated, with comparisons, over complex numbers and those of single precision.
            let turned = mask.view().permute(&[1, 0]).unwrap();
            let chosen = tensor! { in context; [i, j] = select(!turned[j, i] || a[i, j] == 1.0; 2.0 * b[i, j], a[i, j]) };
            same(&chosen, |i, j| choose(!mask[[i, j]] || a[[i, j]] == 1.0, 2.0 * b[[i, j]], a[[i, j]]));
            let single: Matrix<f32> = drawn(rng, n, m);
            let chosen = tensor! { in context; [i, j] = select(mask[i, j]; single[i, j], 0.5) };
            same(&chosen, |i, j| choose(mask[[i, j]], single[[i, j]], 0.5));
            let z: Matrix<Complex<f64>> = drawn(rng, n, m);
            let chosen = tensor! { in context; [i, j] = select(mask[i, j]; z[i, j], a[i, j]) };
            same(&chosen, |i, j| choose(mask[[i, j]], z[[i, j]], a[[i, j]].into()));
            // Where nothing else tells a type, numbers are of double precision.
            let count: f64 = tensor! { in context; [] = sum(i, j; select(mask[i, j]; 1.0, 0.0)) };
            assert_eq!(count, mask.count() as f64);
        }
    }
}

#[test]
fn truth_values_in_blocks_and_recordings() {
    let rng = &mut StdRng::seed_from_u64(5);
    let (a, b): (Matrix<f64>, Matrix<f64>) = (drawn(rng, 6, 7), drawn(rng, 6, 7));
    let outer = tensor!([i, j] = a[i, j] != b[i, j]);
    let (mask, chosen) = tensor! {
        let mask[i, j] = a[i, j] <= b[i, j] || outer[i, j];
        let chosen[i, j] = select(mask[i, j] && outer[i, j]; a[i, j], -1.0);
        (mask, chosen)
    };
    assert!(mask.iter().zip(a.iter().zip(&b)).all(|(mask, (a, b))| *mask == (a <= b || a != b)));
    same(&chosen, |i, j| choose(outer[[i, j]], a[[i, j]], -1.0));
    // A recording holds 1 and 0, which leave it as numbers.
    let graph = Graph::new();
    let recorded = tensor! { in &graph; let c[i, j] = select(outer[i, j]; a[i, j], b[i, j]); c };
    same(&recorded.eval().unwrap(), |i, j| choose(outer[[i, j]], a[[i, j]], b[[i, j]]));
    // Static tensors, and the derivative where a mask chooses.
    let fixed = StaticTensor::new([0.5, -1.0]);
    let positive: Tensor<bool, Shape![2]> = tensor!([i] = fixed[i] > 0.0);
    assert_eq!(positive.as_slice(), [true, false]);
    let x = vector(&[2.0, 3.0]);
    let gradient: Vector<f64> = tensor! {
        let L = sum(i; select(positive[i]; x[i] * x[i], 5.0 * x[i]));
        let g[i] = grad(L; x[i]);
        g
    };
    assert_eq!(gradient.as_slice(), [4.0, 5.0]);
    let error = try_tensor!([i, j] = select(outer[j, i]; a[i, j], 0.0)).unwrap_err().to_string();
    assert!(error.contains("extent 7") && error.contains("`outer`"), "{error}");
}
