//! Linear algebra by the operators: random sizes, batches and orders of labels, for all element types, on every device. Each
//! operation is judged by the identities that define it, and one device by the other where results are unique.

#[path = "../residuals/mod.rs"]
mod residuals;

use num_complex::Complex;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use tensorwrapper::{Context, Element, Error, ErrorKind, Indexed, Tensor, linalg};

fn devices() -> [(&'static str, Context); 3] {
    [("cpu", Context::cpu()), ("cpu, 1 thread", Context::cpu().threads(1)), ("reference", Context::reference())]
}

fn epsilon<T: Element>() -> f64 {
    if size_of::<T::Real>() == 4 { f64::from(f32::EPSILON) } else { f64::EPSILON }
}

/// One case: a batch and matrices whose rows and columns are one or two axes each, their labels in any order.
struct Sizes {
    batch: Vec<usize>,
    rows: Vec<usize>,
    columns: Vec<usize>,
}

impl Sizes {
    fn draw(rng: &mut StdRng, square: bool) -> Sizes {
        let batch = (0..rng.random_range(0..3)).map(|_| rng.random_range(1..4)).collect();
        let mut group = || match rng.random_range(0..4) {
            0 => vec![rng.random_range(1..4), rng.random_range(1..4)],
            _ => vec![rng.random_range(0..8)],
        };
        let rows: Vec<usize> = group();
        let columns = if square { vec![rows.iter().product()] } else { group() };
        Sizes { batch, rows, columns }
    }

    fn m(&self) -> usize {
        self.rows.iter().product()
    }

    fn n(&self) -> usize {
        self.columns.iter().product()
    }
}

/// Labels of one kind: `b0`, `b1`, …
fn group(name: &str, extents: &[usize]) -> Vec<(String, usize)> {
    extents.iter().enumerate().map(|(n, &extent)| (format!("{name}{n}"), extent)).collect()
}

/// An operand over labels, its axes in random order.
struct Drawn<T: Element> {
    tensor: Tensor<T>,
    labels: String,
}

impl<T: Element> Drawn<T> {
    fn at(&self) -> Indexed<'_, T> {
        self.tensor.at(&self.labels)
    }
}

fn text(labels: &[(String, usize)]) -> String {
    labels.iter().map(|(name, _)| format!("{name},")).collect()
}

fn shuffled(rng: &mut StdRng, groups: &[&[(String, usize)]]) -> Vec<(String, usize)> {
    let mut labels: Vec<_> = groups.concat();
    labels.shuffle(rng);
    labels
}

fn draw<T: Element>(rng: &mut StdRng, groups: &[&[(String, usize)]]) -> Drawn<T> {
    let labels = shuffled(rng, groups);
    let extents: Vec<usize> = labels.iter().map(|(_, extent)| *extent).collect();
    let tensor = Tensor::from_fn(&extents[..], |_| {
        T::from_complex(Complex::new(rng.random_range(-1.0..1.0), rng.random_range(-1.0..1.0)))
    });
    Drawn { tensor: tensor.expect("memory for a small tensor"), labels: text(&labels) }
}

fn values<T: Element>(tensor: &Tensor<T>) -> Vec<Complex<f64>> {
    tensor.as_slice().iter().map(|x| x.to_complex()).collect()
}

#[track_caller]
fn close<T: Element>(found: &Tensor<T>, expected: &Tensor<T>, tolerance: f64, what: &str) {
    assert_eq!(found.extents(), expected.extents(), "{what}");
    for (x, y) in values(found).into_iter().zip(values(expected)) {
        assert!((x - y).norm() <= tolerance * (1.0 + y.norm()), "{x} instead of {y}: {what}");
    }
}

/// A real tensor as one of another type.
fn wide<T: Element>(real: &Tensor<T::Real>) -> Tensor<T> {
    let elements = real.as_slice().iter().map(|&x| T::from_real(x)).collect();
    Tensor::from_vec(real.extents(), elements).expect("as many elements")
}

struct Bench<'c> {
    context: &'c Context,
    what: String,
    batch: Vec<(String, usize)>,
    rows: Vec<(String, usize)>,
    columns: Vec<(String, usize)>,
    tolerance: f64,
}

/// New labels.
fn new(name: &str) -> [(String, usize); 1] {
    [(name.to_string(), 0)]
}

impl Bench<'_> {
    /// `x · y` over everything that `left` lacks is `expected`.
    fn product<T: Element>(&self, factors: Indexed<'_, T>, expected: &Drawn<T>) {
        let found = factors.eval_in(self.context, &expected.labels).unwrap();
        close(&found, &expected.tensor, self.tolerance, &self.what);
    }

    fn factors<T: Element>(&self, rng: &mut StdRng) -> Result<(), Error> {
        let (b, r, c) = (&self.batch[..], &self.rows[..], &self.columns[..]);
        let a = draw::<T>(rng, &[b, r, c]);
        let (new_label, new_text) = (new("k"), |rng: &mut StdRng, groups: &[&[(String, usize)]]| text(&shuffled(rng, groups)));
        let k = &new_label[..];
        let left = new_text(rng, &[b, r, k]);
        let right = new_text(rng, &[k, b, c]);
        let (q, t) = a.at().qr([&left, &right]).eval_in(self.context)?;
        self.product(q.at(&left) * t.at(&right), &a);
        let (l, q) = a.at().lq([&left, &right]).eval_in(self.context)?;
        self.product(l.at(&left) * q.at(&right), &a);
        let middle = new_text(rng, &[b, k]);
        let (u, s, v) = a.at().svd([&left, &middle, &right]).eval_in(self.context)?;
        let wide = wide::<T>(&s);
        self.product(u.at(&left) * wide.at(&middle) * v.at(&right), &a);
        let all = draw::<T>(rng, &[b]);
        let kept = s.extents().iter().product::<usize>();
        let (_, cut, _, lost) = a.at().svd_cut([&left, &middle, &right, &all.labels]).tol(0.1).eval_in(self.context)?;
        assert!(cut.as_slice().len() <= kept && lost.as_slice().iter().all(|x| x.to_complex().re <= 0.1), "{}", self.what);
        // Reconstruction is as bad as the weight says.
        let squares = |s: &Tensor<T::Real>| s.as_slice().iter().map(|x| x.to_complex().norm_sqr()).sum::<f64>();
        if b.is_empty() && squares(&s) > 0.0 {
            let weight = lost.as_slice()[0].to_complex().re;
            assert!((1.0 - squares(&cut) / squares(&s) - weight).abs() < 50.0 * epsilon::<T>(), "{}", self.what);
        }
        let two = new("q");
        let (first, second) = (new_text(rng, &[r, b, &two]), new_text(rng, &[k, b, &two]));
        let (p, l, u) = a.at().lu([&first, &second, &right]).eval_in(self.context)?;
        self.product(p.at(&first) * l.at(&second) * u.at(&right), &a);
        // The inverse has its columns in front of its rows.
        let inverse = text(&[b, c, r].concat());
        let x = a.at().pinv(&inverse).matrix(&text(r), &text(c)).eval_in(self.context)?;
        let back = a.tensor.at(&renamed_text(&a.labels, c)) * x.at(&renamed_text(&renamed_text(&inverse, c), r));
        let back = back * a.tensor.at(&renamed_text(&a.labels, r));
        let found = back.eval_in(self.context, &a.labels)?;
        close(&found, &a.tensor, 100.0 * self.tolerance, &format!("pinv, {}", self.what));
        let n = a.at().norm(&all.labels).eval_in(self.context)?;
        let squares = (a.at() * a.at().conj()).eval_in(self.context, &all.labels)?;
        for (n, square) in values(&n).iter().zip(values(&squares)) {
            assert!((n * n - square).norm() <= self.tolerance * (1.0 + square.norm()), "norm, {}", self.what);
        }
        Ok(())
    }

    fn square<T: Element>(&self, rng: &mut StdRng) -> Result<(), Error> {
        let (b, r, c) = (&self.batch[..], &self.rows[..], &self.columns[..]);
        let a = draw::<T>(rng, &[b, r, c]);
        let side = [("s".to_string(), rng.random_range(0..4))];
        let y = draw::<T>(rng, &[&side, r, b]);
        let left = text(&shuffled(rng, &[&side, c, b]));
        // Random matrices may be badly conditioned: what comes out is compared by the equation it solves.
        let x = a.at().solve(y.at(), &left).eval_in(self.context)?;
        let size = values(&x).iter().map(|x| x.norm()).fold(1.0, f64::max);
        let found = (a.at() * x.at(&left)).eval_in(self.context, &y.labels)?;
        close(&found, &y.tensor, self.tolerance * size, &format!("solve, {}", self.what));
        let all = draw::<T>(rng, &[b]);
        let d = a.at().det(&all.labels).matrix(&text(r), &text(c)).eval_in(self.context)?;
        let (sign, log) = a.at().slogdet([&all.labels, &all.labels]).matrix(&text(r), &text(c)).eval_in(self.context)?;
        let again: Vec<_> = values(&sign).iter().zip(values(&log)).map(|(s, l)| s * l.exp()).collect();
        for (x, y) in values(&d).into_iter().zip(again) {
            assert!((x - y).norm() <= self.tolerance * (1.0 + x.norm()), "det, {}", self.what);
        }
        let same = text(&shuffled(rng, &[b, r, c]));
        let power = a.at().matpow(2, &same).matrix(&text(r), &text(c)).eval_in(self.context)?;
        assert_eq!(power.extents().iter().product::<usize>(), a.tensor.as_slice().len());
        let (plus, minus) = (a.at().expm(&same).matrix(&text(r), &text(c)), (-a.at()).expm(&same).matrix(&text(r), &text(c)));
        let (plus, minus) = (plus.eval_in(self.context)?, minus.eval_in(self.context)?);
        let (plus_trace, minus_trace) =
            (trace(&plus, &same, r, c, &all.labels, self.context)?, trace(&minus, &same, r, c, &all.labels, self.context)?);
        assert!(values(&plus_trace).iter().chain(&values(&minus_trace)).all(|x| x.re.is_finite()));
        Ok(())
    }
}

fn trace<T: Element>(
    a: &Tensor<T>,
    labels: &str,
    rows: &[(String, usize)],
    columns: &[(String, usize)],
    left: &str,
    context: &Context,
) -> Result<Tensor<T>, Error> {
    a.at(labels).trace(left).matrix(&text(rows), &text(columns)).eval_in(context)
}

/// A text of labels, some of them by another name.
fn renamed_text(labels: &str, which: &[(String, usize)]) -> String {
    labels
        .split(',')
        .filter(|name| !name.is_empty())
        .map(|name| if which.iter().any(|(known, _)| known == name) { format!("{name}x,") } else { format!("{name},") })
        .collect()
}

fn run<T: Element>(seed: u64, cases: usize) {
    let mut rng = StdRng::seed_from_u64(seed);
    for case in 0..cases {
        let sizes = Sizes::draw(&mut rng, false);
        let square = Sizes::draw(&mut rng, true);
        for (name, context) in devices() {
            for (sizes, is_square) in [(&sizes, false), (&square, true)] {
                let what = format!(
                    "{} case {case} on {name}: batch {:?}, rows {:?}, columns {:?}",
                    T::DTYPE,
                    sizes.batch,
                    sizes.rows,
                    sizes.columns
                );
                let bench = Bench {
                    context: &context,
                    batch: group("b", &sizes.batch),
                    rows: group("r", &sizes.rows),
                    columns: group("c", &sizes.columns),
                    tolerance: 200.0 * epsilon::<T>() * (1 + sizes.m().max(sizes.n())) as f64,
                    what,
                };
                let done = if is_square { bench.square::<T>(&mut rng) } else { bench.factors::<T>(&mut rng) };
                done.unwrap_or_else(|error| panic!("{error}: {}", bench.what));
            }
        }
    }
}

#[test]
fn identities_f64() {
    run::<f64>(1, 25);
}

#[test]
fn identities_f32() {
    run::<f32>(2, 25);
}

#[test]
fn identities_c64() {
    run::<Complex<f64>>(3, 25);
}

#[test]
fn identities_c32() {
    run::<Complex<f32>>(4, 25);
}

fn matrix<T: Element>(extents: &[usize], elements: &[f64]) -> Tensor<T> {
    Tensor::from_vec(extents, elements.iter().map(|&x| T::from_complex(x.into())).collect()).unwrap()
}

/// What cannot be computed is refused, with the item of the batch at fault; nothing comes out half.
#[test]
fn missing_results_are_named() {
    let singular = matrix::<f64>(&[2, 2], &[1.0, 2.0, 2.0, 4.0]);
    let nan = matrix::<f64>(&[2, 2], &[1.0, f64::NAN, 0.0, 1.0]);
    // Batch axes last: the second of three is singular.
    let batch = matrix::<f64>(&[2, 2, 3], &[1.0, 1.0, 1.0, 0.0, 2.0, 0.0, 0.0, 2.0, 0.0, 1.0, 4.0, 1.0]);
    for (name, context) in devices() {
        let sentence = |error: Error| {
            assert!(matches!(error.kind(), ErrorKind::LinearAlgebra { .. }), "{name}: {error}");
            error.to_string()
        };
        let inverse = |a: &Tensor<f64>| sentence(linalg::inv(a).eval_in(&context).unwrap_err());
        assert_eq!(inverse(&singular), "the 2×2 matrix of `inv` is singular: its pivot 1 is zero", "{name}");
        assert_eq!(inverse(&batch), "the 2×2 matrix of `inv` at batch index [1] is singular: its pivot 1 is zero", "{name}");
        assert_eq!(inverse(&nan), "the 2×2 matrix of `inv` holds NaN or infinity", "{name}");
        let lower =
            linalg::triangular_solve(&matrix::<f64>(&[2, 2], &[1.0, f64::NAN, 3.0, 0.0]), &matrix::<f64>(&[2], &[1.0, 1.0]))
                .eval_in(&context);
        assert_eq!(
            sentence(lower.unwrap_err()),
            "the 2×2 matrix of `triangular_solve` is singular: its pivot 1 is zero",
            "{name}"
        );
        let error = linalg::svd(&nan).eval_in(&context).unwrap_err();
        assert_eq!(sentence(error), "the 2×2 matrix of `svd` holds NaN or infinity", "{name}");
        let error = linalg::cholesky(&matrix::<f64>(&[2, 2], &[1.0, 0.0, 2.0, 1.0])).eval_in(&context).unwrap_err();
        assert_eq!(
            sentence(error),
            "the 2×2 matrix of `cholesky` is not positive definite: its pivot 1 is not positive",
            "{name}"
        );
        let error = linalg::expm(&matrix::<f64>(&[1, 1], &[1e4])).eval_in(&context).unwrap_err();
        assert_eq!(sentence(error), "the result of `expm` of a 1×1 matrix is larger than the numbers of its type", "{name}");
        let error = linalg::solve(&matrix::<f64>(&[2, 3], &[1.0; 6]), &matrix::<f64>(&[2], &[1.0; 2])).eval_in(&context);
        assert!(error.unwrap_err().to_string().contains("not square"), "{name}");
        let error = linalg::svd(&singular).tol(f64::NAN).eval_in(&context).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Undefined(_)), "{name}: {error}");
        // What has an answer all the same.
        assert_eq!(linalg::det(&singular).eval_in(&context).unwrap()[[]], 0.0, "{name}");
        let (sign, log) = linalg::slogdet(&singular).eval_in(&context).unwrap();
        assert_eq!((sign[[]], log[[]]), (0.0, f64::NEG_INFINITY), "{name}");
        assert_eq!(linalg::rank(&singular).eval_in(&context).unwrap()[[]], 1.0, "{name}");
        assert!(
            linalg::norm(&nan).eval_in(&context).unwrap()[[]].is_nan()
                && linalg::trace(&nan).eval_in(&context).unwrap()[[]] == 2.0
        );
        let large = linalg::norm(&matrix::<f64>(&[2, 1], &[3e200, 4e200])).eval_in(&context).unwrap()[[]];
        assert!((large / 5e200 - 1.0).abs() < 1e-15, "{name}");
        let x = linalg::lstsq(&singular, &matrix::<f64>(&[2], &[1.0, 2.0])).eval_in(&context).unwrap();
        close(&x, &matrix(&[2], &[0.2, 0.4]), 1e-14, name);
    }
}

/// Extents 0 and 1.
#[test]
fn matrices_with_no_or_one_row() {
    for (name, context) in devices() {
        for (rows, columns) in [(0, 0), (0, 3), (3, 0), (1, 1), (1, 3), (3, 1)] {
            let a = Tensor::<Complex<f64>>::filled([rows, columns], Complex::new(0.0, 2.0)).unwrap();
            let least = rows.min(columns);
            let (u, s, v) = linalg::svd(&a).eval_in(&context).unwrap();
            assert_eq!(
                (u.extents(), s.extents(), v.extents()),
                (&[rows, least][..], &[least][..], &[least, columns][..]),
                "{name}"
            );
            let (u, _, v) = linalg::svd_full(&a).eval_in(&context).unwrap();
            assert_eq!((u.extents(), v.extents()), (&[rows, rows][..], &[columns, columns][..]), "{name}");
            let (q, r) = linalg::qr(&a).full().eval_in(&context).unwrap();
            assert_eq!((q.extents(), r.extents()), (&[rows, rows][..], &[rows, columns][..]), "{name}");
            let x = linalg::pinv(&a).eval_in(&context).unwrap();
            assert_eq!(x.extents(), [columns, rows], "{name}");
            assert_eq!(linalg::rank(&a).eval_in(&context).unwrap()[[]], least as f64, "{name}");
            let (_, s, _, lost) = linalg::svd_cut(&a).tol(0.0).eval_in(&context).unwrap();
            assert_eq!((s.extents(), lost[[]]), (&[least.min(1)][..], 0.0), "{name}");
            if rows == columns {
                let inverse = linalg::inv(&a).eval_in(&context).unwrap();
                assert!(rows == 0 || inverse[[0, 0]] == Complex::new(0.0, -0.5), "{name}");
                let one = Complex::new(1.0, 0.0);
                let det = if rows == 0 { one } else { Complex::new(0.0, 2.0) };
                assert_eq!(linalg::det(&a).eval_in(&context).unwrap()[[]], det, "{name}");
                let (e, _) = linalg::eig(&a).eval_in(&context).unwrap();
                assert_eq!(e.as_slice(), &vec![det; rows][..], "{name}");
                assert_eq!(linalg::matpow(&a, 0).eval_in(&context).unwrap().as_slice(), &vec![one; rows][..], "{name}");
            }
        }
        let empty = Tensor::<f64>::zeros([2, 2, 0]).unwrap();
        let (u, s, _) = linalg::svd(&empty).tol(0.1).eval_in(&context).unwrap();
        assert_eq!((u.extents(), s.extents()), (&[2, 2, 0][..], &[2, 0][..]), "{name}");
    }
}

/// Signs and phases are those of the convention, and so the same on every device.
#[test]
fn phases_are_the_same_on_every_device() {
    let mut rng = StdRng::seed_from_u64(5);
    let mut x = || rng.random_range(-1.0..1.0);
    let a = Tensor::<Complex<f64>>::from_fn([6, 4], |_| Complex::new(x(), x())).unwrap();
    let square = draw::<Complex<f64>>(&mut rng, &[&group("r", &[5]), &group("c", &[5])]).tensor;
    let [first, _, second] = devices().map(|(_, context)| {
        let (u, s, v) = linalg::svd(&a).eval_in(&context).unwrap();
        let (q, r) = linalg::qr(&a).eval_in(&context).unwrap();
        let (l, p) = linalg::lq(&a).eval_in(&context).unwrap();
        let (e, x) = linalg::eig(&square).eval_in(&context).unwrap();
        let (_, low, up) = linalg::lu(&square).eval_in(&context).unwrap();
        let exponential = linalg::expm(&square).eval_in(&context).unwrap();
        vec![u, wide(&s), v, q, r, l, p, e, x, low, up, exponential]
    });
    for (n, (x, y)) in first.iter().zip(&second).enumerate() {
        close(x, y, 1e-11, &format!("factor {n}"));
    }
    let largest = |column: usize| {
        (0..6).map(|i| first[0][[i, column]]).fold(Complex::ZERO, |l: Complex<f64>, x| if x.norm() > l.norm() { x } else { l })
    };
    assert!((0..4).all(|k| largest(k).im == 0.0 && largest(k).re > 0.0));
    assert!((0..4).all(|k| first[4][[k, k]].im == 0.0 && first[4][[k, k]].re >= 0.0));
}

/// Factors of a chain are operands of the next, and one graph computes all.
#[test]
fn recorded_factors() {
    let mut rng = StdRng::seed_from_u64(6);
    let a = draw::<f64>(&mut rng, &[&group("r", &[4]), &group("c", &[3])]).tensor;
    let (u, s, v) = a.at("i,j").svd(["i,k", "k,", "k,j"]).record().unwrap();
    let back = (u.at("i,k") * s.at("k,") * v.at("k,j")).eval("i,j").unwrap();
    close(&back, &a, 1e-13, "recorded");
    assert!(a.at("i,j").svd(["i,k", "k,", "k,j"]).tol(0.1).record().is_err());
    assert!(a.at("i,j").qr(["i,k", "i,j"]).eval().unwrap_err().to_string().contains("new index"));
}
