//! Elimination with partial pivoting that divides by each pivot. This is slower than multiplying by the pivot's reciprocal, but correct
//! where the reciprocal is infinite.
//!
//! Source: G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed. (2013), §3.1 and §3.4.

use super::matrix::Matrix;
use crate::element::Element;

/// See [`Algorithms::lu`](super::Algorithms::lu).
pub fn lu<T: Element>(a: &mut Matrix<T>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..a.rows).collect();
    for k in 0..a.rows.min(a.columns) {
        let size = |a: &Matrix<T>, i: usize| a.at(i, k).to_complex().norm();
        let pivot = (k..a.rows).fold(k, |best, i| if size(a, i) > size(a, best) { i } else { best });
        if a.at(pivot, k) == T::ZERO {
            continue;
        }
        order.swap(k, pivot);
        (0..a.columns).for_each(|j| a.data.swap(j * a.rows + k, j * a.rows + pivot));
        for i in k + 1..a.rows {
            let factor = a.at(i, k).quotient(a.at(k, k));
            *a.at_mut(i, k) = factor;
            (k + 1..a.columns).for_each(|j| *a.at_mut(i, j) = a.at(i, j) - factor * a.at(k, j));
        }
    }
    order
}

/// See [`Algorithms::solve_triangular`](super::Algorithms::solve_triangular).
pub fn solve_triangular<T: Element>(a: &Matrix<T>, upper: bool, unit: bool, b: &mut Matrix<T>) {
    let n = a.rows;
    for column in 0..b.columns {
        for step in 0..n {
            let (i, known) = if upper { (n - 1 - step, n - step..n) } else { (step, 0..step) };
            let sum = known.fold(b.at(i, column), |sum, k| sum - a.at(i, k) * b.at(k, column));
            *b.at_mut(i, column) = if unit { sum } else { sum.quotient(a.at(i, i)) };
        }
    }
}
