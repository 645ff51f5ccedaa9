//! What a result leaves of the equation that defines it, by the bound that its algorithm promises: backward errors and departures from
//! orthogonality, of c·n·ε in the natural norm, c being 10, or 40 where reflections let go of what is small.

use tensorwrapper::linalg;
use tensorwrapper::prelude::*;

use super::matrix::{C, Matrix, larger, ratio};

/// The factor of n·ε.
const FACTOR: f64 = 10.0;

/// The same where a Householder reflection lets go of what is left of a column: `faer` does below 16·n·ε of its length, and once
/// more by the reflection that it has not applied.
const CUT_FACTOR: f64 = 40.0;

/// An operation that has such a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Eig,
    Eigh,
    EighInMetric,
    Svd,
    SvdFull,
    SvdCut,
    Qr,
    Lq,
    Lu,
    Cholesky,
    Solve,
    TriangularSolve,
    Inv,
    Lstsq,
    Pinv,
}

impl Kind {
    pub const ALL: [Kind; 15] = [
        Kind::Eig,
        Kind::Eigh,
        Kind::EighInMetric,
        Kind::Svd,
        Kind::SvdFull,
        Kind::SvdCut,
        Kind::Qr,
        Kind::Lq,
        Kind::Lu,
        Kind::Cholesky,
        Kind::Solve,
        Kind::TriangularSolve,
        Kind::Inv,
        Kind::Lstsq,
        Kind::Pinv,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Eig => "eig",
            Kind::Eigh => "eigh",
            Kind::EighInMetric => "eigh in a metric",
            Kind::Svd => "svd",
            Kind::SvdFull => "svd, full",
            Kind::SvdCut => "svd, cut",
            Kind::Qr => "qr",
            Kind::Lq => "lq",
            Kind::Lu => "lu",
            Kind::Cholesky => "cholesky",
            Kind::Solve => "solve",
            Kind::TriangularSolve => "triangular_solve",
            Kind::Inv => "inv",
            Kind::Lstsq => "lstsq",
            Kind::Pinv => "pinv",
        }
    }

    pub fn is_square(self) -> bool {
        match self {
            Kind::Svd | Kind::SvdFull | Kind::SvdCut | Kind::Qr | Kind::Lq | Kind::Lu | Kind::Lstsq | Kind::Pinv => false,
            Kind::Eig | Kind::Eigh | Kind::EighInMetric | Kind::Cholesky | Kind::Solve | Kind::TriangularSolve | Kind::Inv => {
                true
            }
        }
    }

    fn factor(self) -> f64 {
        match self {
            Kind::Qr | Kind::Lq | Kind::Svd | Kind::SvdFull | Kind::SvdCut | Kind::Lstsq | Kind::Pinv => CUT_FACTOR,
            Kind::Eig
            | Kind::Eigh
            | Kind::EighInMetric
            | Kind::Lu
            | Kind::Cholesky
            | Kind::Solve
            | Kind::TriangularSolve
            | Kind::Inv => FACTOR,
        }
    }

    /// Whether it divides by what may be zero, and says so.
    pub fn may_refuse(self) -> bool {
        matches!(self, Kind::Solve | Kind::TriangularSolve | Kind::Inv)
    }
}

/// A matrix, and what belongs to it: a right side or a metric.
#[derive(Clone, Debug)]
pub struct Item {
    pub a: Matrix,
    pub b: Matrix,
}

/// What is left by what is allowed, for each matrix of a batch.
///
/// # Errors
/// As the operation.
pub fn judged<T: Element>(kind: Kind, items: &[Item], context: &Context, first: bool) -> Result<Vec<f64>, Error> {
    let a = stacked::<T>(items.iter().map(|item| &item.a), first);
    let b = stacked::<T>(items.iter().map(|item| &item.b), first);
    // The axes of the batch stand last, in memory perhaps first.
    let order: &[usize] = if first { &[1, 2, 0] } else { &[0, 1, 2] };
    let (a, b) = (a.view().permute(order)?, b.view().permute(order)?);
    let results: Vec<Vec<Matrix>> = match kind {
        Kind::Eig => two(linalg::eig(&a).eval_in(context)?),
        Kind::Eigh => two(linalg::eigh(&a).eval_in(context)?),
        Kind::EighInMetric => two(linalg::eigh_in_metric(&a, &b).eval_in(context)?),
        Kind::Svd => three(linalg::svd(&a).eval_in(context)?),
        Kind::SvdFull => three(linalg::svd_full(&a).eval_in(context)?),
        Kind::SvdCut => {
            let least = items[0].a.rows.min(items[0].a.columns);
            let (u, s, v, lost) = linalg::svd_cut(&a).max(least.div_ceil(3)).eval_in(context)?;
            [three((u, s, v)), vec![unstacked(&lost)]].concat()
        }
        Kind::Qr => two(linalg::qr(&a).eval_in(context)?),
        Kind::Lq => two(linalg::lq(&a).eval_in(context)?),
        Kind::Lu => three(linalg::lu(&a).eval_in(context)?),
        Kind::Cholesky => vec![unstacked(&linalg::cholesky(&a).eval_in(context)?)],
        Kind::Solve => vec![unstacked(&linalg::solve(&a, &b).eval_in(context)?)],
        Kind::TriangularSolve => vec![unstacked(&linalg::triangular_solve(&a, &b).eval_in(context)?)],
        Kind::Inv => vec![unstacked(&linalg::inv(&a).eval_in(context)?)],
        Kind::Lstsq => vec![unstacked(&linalg::lstsq(&a, &b).eval_in(context)?)],
        Kind::Pinv => vec![unstacked(&linalg::pinv(&a).eval_in(context)?)],
    };
    let of = |n: usize| results.iter().map(|result| &result[n]).collect::<Vec<_>>();
    Ok(items.iter().enumerate().map(|(n, item)| judge(kind, item, &of(n), epsilon::<T>())).collect())
}

/// The distance between neighbouring numbers at 1.
pub fn epsilon<T: Element>() -> f64 {
    if size_of::<T::Real>() == 4 { f64::from(f32::EPSILON) } else { f64::EPSILON }
}

/// A batch of matrices, its axis in front or behind.
fn stacked<'m, T: Element>(matrices: impl Iterator<Item = &'m Matrix>, first: bool) -> Tensor<T> {
    let matrices: Vec<&Matrix> = matrices.collect();
    let (rows, columns) = (matrices[0].rows, matrices[0].columns);
    let element = |n: usize, i: usize, j: usize| T::from_complex(matrices[n].at(i, j));
    match first {
        true => Tensor::from_fn([matrices.len(), rows, columns], |at| element(at[0], at[1], at[2])),
        false => Tensor::from_fn([rows, columns, matrices.len()], |at| element(at[2], at[0], at[1])),
    }
    .expect("memory for small matrices")
}

/// The matrices of a batch that stands last; vectors as columns, numbers as matrices of one element.
fn unstacked<T: Element>(tensor: &Tensor<T>) -> Vec<Matrix> {
    let extents = tensor.extents();
    let batch = extents[extents.len() - 1];
    let (rows, columns) = match extents[..extents.len() - 1] {
        [rows, columns] => (rows, columns),
        [rows] => (rows, 1),
        _ => (1, 1),
    };
    let elements = tensor.as_slice();
    let matrix = |n: usize| Matrix::from_fn(rows, columns, |i, j| elements[(i * columns + j) * batch + n].to_complex());
    (0..batch).map(matrix).collect()
}

fn two<A: Element, B: Element>((a, b): (Tensor<A>, Tensor<B>)) -> Vec<Vec<Matrix>> {
    vec![unstacked(&a), unstacked(&b)]
}

fn three<A: Element, B: Element, D: Element>((a, b, d): (Tensor<A>, Tensor<B>, Tensor<D>)) -> Vec<Vec<Matrix>> {
    vec![unstacked(&a), unstacked(&b), unstacked(&d)]
}

/// What is left by what is allowed.
pub fn judge(kind: Kind, Item { a, b }: &Item, results: &[&Matrix], epsilon: f64) -> f64 {
    let unit = kind.factor() * a.rows.max(a.columns).max(1) as f64 * epsilon;
    match (kind, results) {
        (Kind::Eig, [values, vectors]) => eig(a, values, vectors, unit),
        (Kind::Eigh, [values, vectors]) => eigh(&a.mirrored(), &Matrix::unit(a.rows), 1.0, (values, vectors), unit),
        (Kind::EighInMetric, [values, vectors]) => {
            eigh(&a.mirrored(), &b.mirrored(), condition(&b.mirrored()), (values, vectors), unit)
        }
        (Kind::Svd | Kind::SvdFull, [u, s, v]) => {
            let back = product(u, s, v);
            orthogonal(&u.adjoint(), unit).max(orthogonal(v, unit)).max(falls(s)).max(part(&a.minus(&back), a, unit))
        }
        (Kind::SvdCut, [u, s, v, lost]) => {
            let left = a.minus(&product(u, s, v)).norm();
            let said = lost.data[0].re.sqrt() * a.norm();
            let factors = orthogonal(&u.adjoint(), unit).max(orthogonal(v, unit)).max(falls(s));
            factors.max(ratio((left - said).abs(), unit * a.norm()))
        }
        (Kind::Qr, [q, r]) => triangular(a, q, r, unit),
        (Kind::Lq, [l, q]) => triangular(&a.adjoint(), &q.adjoint(), &l.adjoint(), unit),
        (Kind::Lu, [p, l, u]) => {
            let sizes = l.absolute().times(&u.absolute()).largest();
            let is_permutation = p.times(&p.adjoint()).minus(&Matrix::unit(p.rows)).largest();
            ratio(a.minus(&p.times(l).times(u)).largest(), unit * sizes).max(ratio(is_permutation, 0.0))
        }
        (Kind::Cholesky, [l]) => {
            let a = a.mirrored();
            let off = a.minus(&l.times(&l.adjoint()));
            let allowed = |i: usize, j: usize| unit * (a.at(i, i).re * a.at(j, j).re).sqrt();
            worst(&off, allowed)
        }
        (Kind::Solve, [x]) => solved(a, x, b, unit),
        (Kind::TriangularSolve, [x]) => {
            let lower = a.map(|i, j, x| if i < j { C::ZERO } else { x });
            let sizes = lower.absolute().times(&x.absolute());
            worst(&lower.times(x).minus(b), |i, j| unit * (sizes.at(i, j).re + b.at(i, j).norm()))
        }
        (Kind::Inv, [x]) => solved(a, x, &Matrix::unit(a.rows), unit),
        (Kind::Lstsq, [x]) => {
            let left = b.minus(&a.times(x));
            let sizes = |j: usize| left.column(j).norm() + a.norm() * x.column(j).norm();
            let gradient = a.adjoint().times(&left);
            (0..x.columns).map(|j| ratio(gradient.column(j).norm(), unit * a.norm() * sizes(j))).fold(0.0, larger)
        }
        (Kind::Pinv, [x]) => {
            let (sizes, there, back) = (a.norm() * x.norm(), a.times(x), x.times(a));
            let hermitian = |m: &Matrix| ratio(m.minus(&m.adjoint()).norm(), unit * sizes);
            let same = ratio(there.times(a).minus(a).norm(), unit * sizes * a.norm());
            let inverse = ratio(back.times(x).minus(x).norm(), unit * sizes * x.norm());
            same.max(inverse).max(hermitian(&there)).max(hermitian(&back))
        }
        _ => unreachable!("each operation has its results"),
    }
}

/// The largest element by what it may be.
fn worst(off: &Matrix, allowed: impl Fn(usize, usize) -> f64) -> f64 {
    let of = |p: usize| ratio(off.data[p].norm(), allowed(p / off.columns, p % off.columns));
    (0..off.data.len()).map(of).fold(0.0, larger)
}

/// The norm of what is left, by a part of a matrix'.
fn part(left: &Matrix, a: &Matrix, unit: f64) -> f64 {
    ratio(left.norm(), unit * a.norm())
}

/// How far rows are from orthonormal ones.
fn orthogonal(rows: &Matrix, unit: f64) -> f64 {
    ratio(rows.times(&rows.adjoint()).minus(&Matrix::unit(rows.rows)).largest(), unit)
}

/// Whether singular values fall and are not negative.
fn falls(s: &Matrix) -> f64 {
    let falls = s.data.windows(2).all(|pair| pair[0].re >= pair[1].re) && s.data.iter().all(|s| s.re >= 0.0);
    if falls { 0.0 } else { f64::INFINITY }
}

fn product(u: &Matrix, s: &Matrix, v: &Matrix) -> Matrix {
    let kept = u.columns.min(v.rows);
    let left = Matrix::from_fn(u.rows, kept, |i, k| u.at(i, k) * s.data.get(k).copied().unwrap_or(C::ZERO));
    left.times(&Matrix::from_fn(kept, v.columns, |k, j| v.at(k, j)))
}

/// A·x = λ·x for each pair; eigenvalues in order, vectors of length 1, and nothing counted twice.
fn eig(a: &Matrix, values: &Matrix, vectors: &Matrix, unit: f64) -> f64 {
    let size = a.row_norm();
    let is_before = |x: C, y: C| x.re < y.re || x.re == y.re && x.im <= y.im;
    if !values.data.windows(2).all(|pair| is_before(pair[0], pair[1])) {
        return f64::INFINITY;
    }
    let left = a.times(vectors).minus(&vectors.scaled(&values.data));
    let pair = |k: usize| {
        let x = vectors.column(k);
        let equation = ratio(left.column(k).largest(), unit * size * x.largest());
        equation.max(ratio((x.norm() - 1.0).abs(), unit))
    };
    let sum: C = values.data.iter().sum();
    let trace = ratio((sum - a.trace()).norm(), unit * size * a.rows as f64);
    (0..a.rows).map(pair).fold(trace, larger)
}

/// A·x = λ·B·x with xᴴ·B·x = 1, λ ascending; of a metric its condition counts.
fn eigh(a: &Matrix, b: &Matrix, condition: f64, (values, vectors): (&Matrix, &Matrix), unit: f64) -> f64 {
    if !values.data.windows(2).all(|pair| pair[0].re <= pair[1].re) {
        return f64::INFINITY;
    }
    let image = b.times(vectors);
    let left = a.times(vectors).minus(&image.scaled(&values.data));
    let sizes = |k: usize| (a.norm() + values.data[k].norm() * b.largest()) * vectors.column(k).norm();
    let pairs = (0..a.rows).map(|k| ratio(left.column(k).norm(), unit * condition * sizes(k))).fold(0.0, larger);
    let gram = vectors.adjoint().times(&image).minus(&Matrix::unit(a.rows));
    pairs.max(ratio(gram.largest(), unit * condition))
}

/// The largest eigenvalue of a Hermitian, positive definite matrix by the smallest.
fn condition(b: &Matrix) -> f64 {
    let tensor = stacked::<C>(std::iter::once(b), true);
    let view = tensor.view().permute(&[1, 2, 0]).expect("axes in order");
    let (values, _) = linalg::eigh(&view).eval_in(&Context::reference()).expect("eigenvalues of a Hermitian matrix");
    let (Some(&least), Some(&most)) = (values.as_slice().first(), values.as_slice().last()) else { return 1.0 };
    if least > 0.0 { most / least } else { 1.0 / f64::EPSILON }
}

/// A = Q·R: each column of A as good as its own length, Q orthonormal, R a triangle.
fn triangular(a: &Matrix, q: &Matrix, r: &Matrix, unit: f64) -> f64 {
    let off = a.minus(&q.times(r));
    let columns = (0..a.columns).map(|j| ratio(off.column(j).norm(), unit * a.column(j).norm())).fold(0.0, larger);
    let below = r.map(|i, j, x| if i > j { x } else { C::ZERO }).largest();
    columns.max(orthogonal(&q.adjoint(), unit)).max(ratio(below, 0.0))
}

/// A·x = b for each column.
fn solved(a: &Matrix, x: &Matrix, b: &Matrix, unit: f64) -> f64 {
    let left = a.times(x).minus(b);
    let column = |j: usize| {
        let allowed = a.row_norm() * x.column(j).largest() + b.column(j).largest();
        ratio(left.column(j).largest(), unit * allowed)
    };
    (0..x.columns).map(column).fold(0.0, larger)
}
