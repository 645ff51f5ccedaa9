//! Eigenvalues of any square matrix: Givens rotations to Hessenberg form, QR steps with Wilkinson's shift to a triangle, and
//! its eigenvectors by substitution. Complex and in double precision throughout.

use num_complex::Complex;

use crate::backend::linear::{Failure, Matrix};

type C = Complex<f64>;

/// QR steps for one eigenvalue after which the iteration is given up.
const STEPS: usize = 100;

/// Steps after which an element also counts as zero if it is negligible beside the whole matrix, not only beside its neighbours.
const PATIENT: usize = 30;

/// How large a component may become before all are scaled down.
const LARGEST: f64 = 1e50;

/// Eigenvalues, and the eigenvectors as columns.
pub(crate) fn eig(mut a: Matrix<C>) -> Result<(Vec<C>, Matrix<C>), Failure> {
    let n = a.rows;
    let mut z = Matrix::unit(n, n);
    for column in 0..n.saturating_sub(2) {
        for row in (column + 2..n).rev() {
            let rotation = givens(a.at(column + 1, column), a.at(row, column));
            similar(&mut a, &mut z, (column + 1, row), rotation);
            *a.at_mut(row, column) = C::ZERO;
        }
    }
    let size = a.data.iter().map(|x| x.norm_sqr()).sum::<f64>().sqrt();
    let mut end = n;
    let mut steps = 0;
    while end > 1 {
        let small = |a: &Matrix<C>, k: usize| {
            let near = a.at(k, k).norm() + a.at(k - 1, k - 1).norm();
            a.at(k, k - 1).norm() <= f64::EPSILON * if near == 0.0 || steps > PATIENT { size } else { near }
        };
        let start = (1..end).rev().find(|&k| small(&a, k)).unwrap_or(0);
        if start > 0 {
            *a.at_mut(start, start - 1) = C::ZERO;
        }
        if start == end - 1 {
            end -= 1;
            steps = 0;
            continue;
        }
        steps += 1;
        if steps > STEPS {
            return Err(Failure::NoConvergence);
        }
        let shift = if steps % 10 == 0 { C::from(a.at(end - 1, end - 2).norm()) } else { shift(&a, end) };
        step(&mut a, &mut z, start..end, shift);
    }
    Ok(((0..n).map(|k| a.at(k, k)).collect(), vectors(&a, &z, size)))
}

/// Cosine and sine of the rotation that makes (·, 0) of (x, y).
fn givens(x: C, y: C) -> (f64, C) {
    let length = x.norm().hypot(y.norm());
    if y.norm() == 0.0 {
        return (1.0, C::ZERO);
    }
    if x.norm() == 0.0 {
        return (0.0, y.conj() / y.norm());
    }
    (x.norm() / length, x / x.norm() * y.conj() / length)
}

/// Turns two rows.
fn rotate_rows(a: &mut Matrix<C>, (p, q): (usize, usize), (c, s): (f64, C)) {
    for k in 0..a.columns {
        let (x, y) = (a.at(p, k), a.at(q, k));
        (*a.at_mut(p, k), *a.at_mut(q, k)) = (x * c + s * y, y * c - s.conj() * x);
    }
}

/// Turns two columns by the adjoint.
fn rotate_columns(a: &mut Matrix<C>, (p, q): (usize, usize), (c, s): (f64, C)) {
    for k in 0..a.rows {
        let (x, y) = (a.at(k, p), a.at(k, q));
        (*a.at_mut(k, p), *a.at_mut(k, q)) = (x * c + s.conj() * y, y * c - s * x);
    }
}

fn similar(a: &mut Matrix<C>, z: &mut Matrix<C>, plane: (usize, usize), rotation: (f64, C)) {
    rotate_rows(a, plane, rotation);
    rotate_columns(a, plane, rotation);
    rotate_columns(z, plane, rotation);
}

/// The eigenvalue of the last two rows and columns that is nearer to the last element.
fn shift(a: &Matrix<C>, end: usize) -> C {
    let (p, q) = (end - 2, end - 1);
    let (a11, a12, a21, a22) = (a.at(p, p), a.at(p, q), a.at(q, p), a.at(q, q));
    let half = (a11 - a22) / 2.0;
    let root = (half * half + a12 * a21).sqrt();
    let (near, far) = (a22 + half - root, a22 + half + root);
    if (near - a22).norm() <= (far - a22).norm() { near } else { far }
}

/// One QR step A − σ = Q·R, R·Q + σ, of a diagonal block, carried out on the whole matrix.
fn step(a: &mut Matrix<C>, z: &mut Matrix<C>, block: std::ops::Range<usize>, shift: C) {
    block.clone().for_each(|k| *a.at_mut(k, k) -= shift);
    // Elements outside of the block are rotated with it; the diagonal there is neither shifted nor rotated.
    let mut rotations = Vec::new();
    for k in block.start..block.end - 1 {
        let rotation = givens(a.at(k, k), a.at(k + 1, k));
        rotate_rows(a, (k, k + 1), rotation);
        rotations.push((k, rotation));
    }
    for (k, rotation) in rotations {
        rotate_columns(a, (k, k + 1), rotation);
        rotate_columns(z, (k, k + 1), rotation);
    }
    block.for_each(|k| *a.at_mut(k, k) += shift);
}

/// Eigenvectors of a triangle by substitution, in the basis of the matrix.
fn vectors(a: &Matrix<C>, z: &Matrix<C>, size: f64) -> Matrix<C> {
    let n = a.rows;
    let least = f64::EPSILON * if size == 0.0 { 1.0 } else { size };
    let mut result = Matrix::zeros(n, n);
    for k in 0..n {
        let mut x = vec![C::ZERO; n];
        x[k] = C::from(1.0);
        for i in (0..k).rev() {
            let sum: C = (i + 1..=k).map(|j| a.at(i, j) * x[j]).sum();
            let difference = a.at(k, k) - a.at(i, i);
            // Of equal eigenvalues one is moved a little, as by rounding.
            x[i] = sum / if difference.norm() < least { C::from(least) } else { difference };
            // Of Jordan's blocks each component is larger than the one below by the reciprocal of rounding.
            if x[i].norm() > LARGEST {
                let scale = LARGEST / x[i].norm();
                x.iter_mut().for_each(|x| *x *= scale);
            }
        }
        let longest = x.iter().map(|x| x.norm()).fold(0.0, f64::max);
        for i in 0..n {
            let sum: C = (0..=k).map(|j| z.at(i, j) * x[j] / longest).sum();
            *result.at_mut(i, k) = sum;
        }
    }
    result
}
