//! Every operation of the table, computed with a device's algorithms.
//!
//! The right side of a system is read when the order of its rows is known. From 512 rows on it is stored with its rows as columns, as in
//! tensors.
//!
//! Sources: G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed. (2013): §3.4 for systems of equations, §5.5 for least
//! squares and pseudo-inverses, §8.7 for eigenvalues in the metric of a second matrix.

use std::sync::Arc;

use num_complex::Complex;
use tensorwrapper_notation::syntax::Factorisation;

use super::algorithms::{Algorithms, Eigen};
use super::conventions::{epsilon, exponent_at, normalise, scale, set_phases, times_power};
use super::decomposition::Decomposition;
use super::determinant::determinant;
use super::divided::divided;
use super::factors::{cholesky, lu, qr, svd, svd_parts};
use super::failure::Failure;
use super::gaps::{checked, distinct, gaps, uniform};
use super::magnitude::{is_finite, largest_of, norm, part_size, real, square};
use super::matrix::Matrix;
use super::part::{Part, Triangle};
use super::properties::{is_transposed, takes_anything};
use crate::element::Element;

/// The right side of a system: read when the order of its rows is known. Turned where [`is_transposed`] says so.
pub(crate) struct Right<'r, T> {
    pub columns: usize,
    pub rows_in: &'r dyn Fn(&[usize]) -> Matrix<T>,
}

/// The results for one matrix, or for a matrix and its second argument; `again` makes the first argument once more.
pub(crate) fn compute<T: Element>(
    on: &dyn Algorithms<T>,
    call: &Decomposition,
    arguments: Vec<Matrix<T>>,
    again: &dyn Fn() -> Matrix<T>,
    right: &Right<'_, T>,
) -> Result<Vec<Part<T>>, Failure> {
    let has_metric = arguments.len() > 1;
    let parts = parts(on, call, arguments, again, right)?;
    // The logarithm of a determinant that is zero is no number that is too large.
    let may_be_infinite = takes_anything(call.kind) || call.kind == Factorisation::Slogdet;
    // Where the matrix was finite and has these factors, what is left out here has no size of its own.
    let counts: &[usize] = match call.kind {
        Factorisation::Cholesky => &[],
        Factorisation::Eigh if !has_metric => &[0],
        Factorisation::Svd | Factorisation::Qr => &[1],
        Factorisation::Lq => &[0],
        Factorisation::Lu => &[2],
        _ => &[0, 1],
    };
    let mut counted = counts.iter().filter_map(|&n| parts.get(n));
    if may_be_infinite || counted.all(|part| part.is_finite(on)) { Ok(parts) } else { Err(Failure::Overflow) }
}

fn parts<T: Element>(
    on: &dyn Algorithms<T>,
    call: &Decomposition,
    arguments: Vec<Matrix<T>>,
    again: &dyn Fn() -> Matrix<T>,
    right: &Right<'_, T>,
) -> Result<Vec<Part<T>>, Failure> {
    let mut arguments = arguments.into_iter();
    let mut next = || arguments.next();
    let a = next().expect("an operation has an argument");
    let column = |values: Vec<T::Real>| Part::Real(Matrix::column_of(values));
    let number = |value: T::Real| Part::Real(Matrix::number(value));
    let transposed = is_transposed(call.kind, a.rows);
    let solution = |x| if transposed { Part::Transposed(x) } else { Part::Same(x) };
    let mut second = || next().expect("a system of equations has a right side");
    Ok(match call.kind {
        Factorisation::Cholesky => vec![Part::Same(cholesky(on, a)?)],
        Factorisation::Eigh => {
            let (values, vectors) = eigh(on, a, next())?;
            vec![column(values), Part::Same(vectors)]
        }
        Factorisation::Eig => {
            let (values, vectors) = eig(on, a)?;
            vec![Part::Complex(Matrix::column_of(values)), Part::Complex(vectors)]
        }
        Factorisation::Qr => {
            let (q, r) = qr(on, a, call.full);
            let shape = Triangle { upper: true, unit: false, rows: q.columns, columns: r.columns };
            vec![Part::Same(q), Part::Triangle(Arc::new(r), shape)]
        }
        Factorisation::Lq => {
            let (q, r) = qr(on, a.adjoint(), call.full);
            let shape = Triangle { upper: false, unit: false, rows: r.columns, columns: q.columns };
            vec![Part::Triangle(Arc::new(r.adjoint()), shape), Part::Same(q.adjoint())]
        }
        Factorisation::Svd => svd_parts(on, call, a)?,
        Factorisation::Lu => lu(on, a, again),
        Factorisation::Solve => vec![solution(solve(on, a, right, again)?)],
        Factorisation::TriangularSolve => vec![solution(triangular(on, call, a, second())?)],
        Factorisation::Lstsq => vec![Part::Same(pseudo_solve(on, call, a, Some(second()))?)],
        Factorisation::Inv => vec![solution(inverse(on, a, again)?)],
        Factorisation::Pinv => vec![Part::Same(pseudo_solve(on, call, a, None)?)],
        Factorisation::Matpow => vec![Part::Same(power(on, a, call.exponent, again)?)],
        Factorisation::Expm => vec![Part::Same(if a.rows == 0 { a } else { on.expm(a)? })],
        Factorisation::Det => vec![Part::Same(Matrix::number(determinant(on, a, again)?.value().ok_or(Failure::Overflow)?))],
        Factorisation::Slogdet => {
            let determinant = determinant(on, a, again)?;
            vec![Part::Same(Matrix::number(determinant.sign())), number(real::<T::Real>(determinant.logarithm()))]
        }
        Factorisation::Norm => vec![number(norm(&a.data))],
        Factorisation::Trace => {
            let sum = (0..a.rows).fold(T::ZERO, |sum, n| sum + a.at(n, n));
            vec![Part::Same(Matrix::number(sum))]
        }
        Factorisation::Gaps if call.unit => vec![Part::Same(checked(a, &second())?)],
        Factorisation::Gaps => vec![Part::Same(gaps(&a, &second())?)],
        Factorisation::Distinct => {
            distinct(&second(), call.max.unwrap_or(a.rows))?;
            vec![Part::Same(a)]
        }
        Factorisation::Adjugate => vec![Part::Same(a)],
        Factorisation::Uniform => {
            uniform(&a, &second())?;
            vec![Part::Same(a)]
        }
        Factorisation::Divided => vec![Part::Same(divided(&a, &second(), call.exponent.unsigned_abs())?)],
        Factorisation::Rank => {
            let tol = tolerance(call, &a);
            let (_, values, _) = svd(on, a, false)?;
            vec![number(real::<T::Real>(counted(&values, tol) as f64))]
        }
    })
}

fn value<R: Element>(x: R) -> f64 {
    x.to_complex().re
}

/// A·x = λ·x; in a metric B = L·Lᴴ the eigenvectors of L⁻¹·A·L⁻ᴴ, from the left by L⁻ᴴ.
fn eigh<T: Element>(
    on: &dyn Algorithms<T>,
    mut a: Matrix<T>,
    metric: Option<Matrix<T>>,
) -> Result<(Vec<T::Real>, Matrix<T>), Failure> {
    if a.rows == 0 {
        return Ok((Vec::new(), a));
    }
    let exponent = normalise(on, &mut a, 1);
    let (values, metric_exponent) = match metric {
        None => (on.eigh(&mut a)?, 0),
        Some(mut metric) => {
            // Of a system of equations both triangles count.
            a.mirror();
            // Even, since the eigenvectors take its square root.
            let metric_exponent = normalise(on, &mut metric, 2);
            on.cholesky(&mut metric)?;
            on.solve_triangular(&metric, false, false, &mut a);
            a = a.adjoint();
            on.solve_triangular(&metric, false, false, &mut a);
            let values = on.eigh(&mut a)?;
            on.solve_triangular(&metric.adjoint(), true, false, &mut a);
            (values, metric_exponent)
        }
    };
    set_phases(&mut a, &|column| on.largest_square(column));
    scale(&mut a, -metric_exponent / 2);
    let values = values.into_iter().map(|value| times_power(value, exponent - metric_exponent));
    Ok((values.collect(), a))
}

/// Eigenvalues by their real, then their imaginary parts; eigenvectors of length 1.
fn eig<T: Element>(on: &dyn Algorithms<T>, mut a: Matrix<T>) -> Result<Eigen<T>, Failure> {
    if a.rows == 0 {
        return Ok((Vec::new(), Matrix::zeros(0, 0)));
    }
    let exponent = normalise(on, &mut a, 1);
    let (values, vectors) = on.eig(&a)?;
    let mut order: Vec<usize> = (0..values.len()).collect();
    // Zero comes before nothing that is zero: −0 + 0 is 0.
    let key = |n: usize| values[n].to_complex() + Complex::ZERO;
    order.sort_by(|&m, &n| key(m).re.total_cmp(&key(n).re).then(key(m).im.total_cmp(&key(n).im)));
    let mut sorted = Matrix::zeros(a.rows, a.rows);
    for (to, &from) in order.iter().enumerate() {
        sorted.column_mut(to).copy_from_slice(vectors.column(from));
        make_unit(sorted.column_mut(to));
    }
    set_phases(&mut sorted, &|column| largest_of(column, square));
    Ok((order.iter().map(|&n| times_power(values[n], exponent)).collect(), sorted))
}

/// Gives a vector the length 1, if it has any.
fn make_unit<T: Element>(vector: &mut [T]) {
    let largest = largest_of(vector, part_size);
    if largest == 0.0 {
        return;
    }
    // Squares neither overflow nor vanish.
    let exponent = exponent_at(largest);
    vector.iter_mut().for_each(|x| *x = times_power(*x, -exponent));
    let length = vector.iter().map(|&x| square(x)).sum::<f64>().sqrt();
    let factor = T::from_complex((1.0 / length).into());
    vector.iter_mut().for_each(|x| *x *= factor);
}

/// The first pivot that nothing can be divided by. What is divided by infinity would not show it.
fn zero_pivot<T: Element>(a: &Matrix<T>) -> Result<(), Failure> {
    match (0..a.rows).find(|&n| a.at(n, n) == T::ZERO) {
        Some(pivot) => Err(Failure::Singular { pivot }),
        None if (0..a.rows).all(|n| is_finite(a.at(n, n))) => Ok(()),
        None => Err(Failure::Overflow),
    }
}

/// The X of A·X = B, both transposed where [`is_transposed`] says so.
fn solve<T: Element>(
    on: &dyn Algorithms<T>,
    mut a: Matrix<T>,
    right: &Right<'_, T>,
    again: &dyn Fn() -> Matrix<T>,
) -> Result<Matrix<T>, Failure> {
    if a.rows == 0 || right.columns == 0 {
        return Ok(Matrix::zeros(a.rows, right.columns));
    }
    let order = on.lu(&mut a, again);
    zero_pivot(&a)?;
    if is_transposed(Factorisation::Solve, a.rows) {
        let mut x = (right.rows_in)(&order);
        on.solve_transposed(&a, false, true, &mut x);
        on.solve_transposed(&a, true, false, &mut x);
        return Ok(x);
    }
    let mut x = (right.rows_in)(&order);
    on.solve_triangular(&a, false, true, &mut x);
    on.solve_triangular(&a, true, false, &mut x);
    Ok(x)
}

/// A⁻¹, transposed where [`is_transposed`] says so.
fn inverse<T: Element>(on: &dyn Algorithms<T>, a: Matrix<T>, again: &dyn Fn() -> Matrix<T>) -> Result<Matrix<T>, Failure> {
    let (rows, transposed) = (a.rows, is_transposed(Factorisation::Inv, a.rows));
    let rows_in = |order: &[usize]| {
        let mut unit = Matrix::zeros(rows, rows);
        for (row, &column) in order.iter().enumerate() {
            *(if transposed { unit.at_mut(column, row) } else { unit.at_mut(row, column) }) = T::ONE;
        }
        unit
    };
    solve(on, a, &Right { columns: rows, rows_in: &rows_in }, again)
}

fn triangular<T: Element>(
    on: &dyn Algorithms<T>,
    call: &Decomposition,
    a: Matrix<T>,
    mut b: Matrix<T>,
) -> Result<Matrix<T>, Failure> {
    if a.rows == 0 || b.data.is_empty() {
        return Ok(b);
    }
    if !call.unit {
        zero_pivot(&a)?;
    }
    match is_transposed(call.kind, a.rows) {
        true => on.solve_transposed(&a, call.upper, call.unit, &mut b),
        false => on.solve_triangular(&a, call.upper, call.unit, &mut b),
    }
    Ok(b)
}

/// The part of the largest singular value that does not count.
fn tolerance<T: Element>(call: &Decomposition, a: &Matrix<T>) -> f64 {
    call.tol.unwrap_or(epsilon::<T>() * a.rows.max(a.columns) as f64)
}

/// How many singular values are larger than a part of the largest.
fn counted<R: Element>(values: &[R], tol: f64) -> usize {
    let limit = tol * values.first().map_or(0.0, |&s| value(s));
    values.iter().take_while(|&&s| value(s) > limit).count()
}

/// A⁺·B, or A⁺.
fn pseudo_solve<T: Element>(
    on: &dyn Algorithms<T>,
    call: &Decomposition,
    a: Matrix<T>,
    b: Option<Matrix<T>>,
) -> Result<Matrix<T>, Failure> {
    let (rows, columns, tol) = (a.rows, a.columns, tolerance(call, &a));
    let width = b.as_ref().map_or(rows, |b| b.columns);
    if rows == 0 || columns == 0 || width == 0 {
        return Ok(Matrix::zeros(columns, width));
    }
    let (u, s, v) = svd(on, a, false)?;
    let kept = counted(&s, tol);
    if kept == 0 {
        return Ok(Matrix::zeros(columns, width));
    }
    let (u, v) = (u.first_columns(kept), v.first_rows(kept));
    let mut product = match &b {
        Some(b) => on.multiply(&u.adjoint(), b),
        None => u.adjoint(),
    };
    for (n, &s) in s[..kept].iter().enumerate() {
        (0..width).for_each(|column| *product.at_mut(n, column) = product.at(n, column).quotient(T::from_real(s)));
    }
    Ok(on.multiply(&v.adjoint(), &product))
}

/// Aⁿ by squaring; of the inverse for negative n.
fn power<T: Element>(
    on: &dyn Algorithms<T>,
    a: Matrix<T>,
    exponent: i32,
    again: &dyn Fn() -> Matrix<T>,
) -> Result<Matrix<T>, Failure> {
    let order = a.rows;
    let mut base = match exponent < 0 {
        false => a,
        true => {
            let inverse = inverse(on, a, again)?;
            if is_transposed(Factorisation::Inv, order) { inverse.transposed() } else { inverse }
        }
    };
    let (mut left, mut result) = (exponent.unsigned_abs(), None);
    while left > 0 && order > 0 {
        if left % 2 == 1 {
            result = Some(result.map_or_else(|| base.clone(), |result| on.multiply(&result, &base)));
        }
        left /= 2;
        if left > 0 {
            base = on.multiply(&base, &base);
        }
    }
    Ok(result.unwrap_or_else(|| Matrix::unit(order, order)))
}
