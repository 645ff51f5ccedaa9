//! What a derivative of eigenvectors or singular vectors divides by the differences of their values, and where it does not exist.

use super::conventions::epsilon;
use super::failure::Failure;
use super::matrix::Matrix;
use crate::element::Element;

/// Differences of values are taken as zero below that many roundings of the largest.
pub const EQUAL_WITHIN: f64 = 8.0;

/// Sizes below that part of the largest count as zero for `n` states: rounding of the vectors, which a third of the digits is left for.
fn zero_within<T: Element>(n: usize) -> f64 {
    let rounding = epsilon::<T>();
    rounding.powf(2.0 / 3.0).max(32.0 * rounding * n as f64)
}

/// Whether two values are equal within a part of the largest.
fn equal<T: Element>(values: &Matrix<T>, within: f64) -> impl Fn(usize, usize) -> bool {
    let largest = values.data.iter().map(|x| x.to_complex().norm()).fold(0.0, f64::max);
    move |i, j| (values.at(i, 0).to_complex() - values.at(j, 0).to_complex()).norm() <= within * largest
}

/// The part of the largest value below which a difference is rounding.
fn rounding<T: Element>(n: usize) -> f64 {
    EQUAL_WITHIN * epsilon::<T>() * n as f64
}

/// The part of the largest value below which a derivative that divides by the difference has lost two thirds of its digits.
fn near<T: Element>(n: usize) -> f64 {
    epsilon::<T>().powf(2.0 / 3.0).max(rounding::<T>(n))
}

/// ½(A − Aᴴ) between states of different values; between equal ones it has to be zero.
pub(super) fn gaps<T: Element>(a: &Matrix<T>, values: &Matrix<T>) -> Result<Matrix<T>, Failure> {
    let is_near = equal(values, near::<T>(a.rows));
    hermitian_between(a, &is_near)?;
    let apart = |i, j| (a.at(i, j).to_complex() - a.at(j, i).to_complex().conj()) * 0.5;
    let is_left_out = |i, j| i != j && is_near(i, j);
    Ok(Matrix::from_fn(a.rows, a.rows, |i, j| if is_left_out(i, j) { T::ZERO } else { T::from_complex(apart(i, j)) }))
}

/// The matrix as it is; between states of equal values it has to be Hermitian.
pub(super) fn checked<T: Element>(a: Matrix<T>, values: &Matrix<T>) -> Result<Matrix<T>, Failure> {
    hermitian_between(&a, &equal(values, rounding::<T>(a.rows)))?;
    Ok(a)
}

fn hermitian_between<T: Element>(a: &Matrix<T>, is_equal: &dyn Fn(usize, usize) -> bool) -> Result<(), Failure> {
    let largest = a.data.iter().map(|x| x.to_complex().norm()).fold(0.0, f64::max);
    let zero = zero_within::<T>(a.rows) * largest;
    let is_wrong =
        |i: usize, j: usize| is_equal(i, j) && (a.at(i, j).to_complex() - a.at(j, i).to_complex().conj()).norm() > 2.0 * zero;
    first(a.rows, &is_wrong).map_or(Ok(()), |states| Err(Failure::EqualValues { states }))
}

/// Fails where the numbers of two states of equal values differ.
pub(super) fn uniform<T: Element>(numbers: &Matrix<T>, values: &Matrix<T>) -> Result<(), Failure> {
    let is_equal = equal(values, rounding::<T>(values.rows));
    let of = |i: usize| numbers.at(i, 0).to_complex();
    let zero = zero_within::<T>(values.rows) * (0..numbers.rows).map(|i| of(i).norm()).fold(0.0, f64::max);
    let differ = |i: usize, j: usize| is_equal(i, j) && (of(i) - of(j)).norm() > zero;
    first(values.rows, &differ).map_or(Ok(()), |states| Err(Failure::EqualValues { states }))
}

/// Fails where two of the values are equal, of which at least one is among the first `counted`.
pub(super) fn distinct<T: Element>(values: &Matrix<T>, counted: usize) -> Result<(), Failure> {
    let is_near = equal(values, near::<T>(values.rows));
    first(values.rows, &|i, j| i < counted && is_near(i, j)).map_or(Ok(()), |states| Err(Failure::EqualValues { states }))
}

/// The first pair of states, in their order, of which something holds.
fn first(count: usize, holds: &dyn Fn(usize, usize) -> bool) -> Option<[usize; 2]> {
    (0..count).flat_map(|j| (0..j).map(move |i| [i, j])).find(|&[i, j]| holds(i, j))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(elements: [[f64; 2]; 2]) -> Matrix<f64> {
        Matrix::from_fn(2, 2, |i, j| elements[i][j])
    }

    #[test]
    fn what_is_hermitian_between_equal_values_is_no_fault() {
        let values = Matrix::from_fn(2, 1, |_, _| 3.0);
        assert_eq!(gaps(&matrix([[1.0, 2.0], [2.0, 5.0]]), &values).unwrap().data, [0.0; 4]);
        let found = gaps(&matrix([[1.0, 2.0], [2.5, 5.0]]), &values);
        assert_eq!(found.unwrap_err(), Failure::EqualValues { states: [0, 1] });
        let values = Matrix::from_fn(2, 1, |i, _| i as f64);
        let found = gaps(&matrix([[1.0, 2.0], [2.5, 5.0]]), &values).unwrap();
        assert_eq!((found.at(0, 1), found.at(1, 0), found.at(0, 0)), (-0.25, 0.25, 0.0));
    }

    #[test]
    fn values_that_are_almost_equal_are_not_distinct() {
        let values = |gap: f64| Matrix::from_fn(3, 1, move |i, _| [1.0, 4.0, 4.0 + gap][i]);
        assert_eq!(distinct(&values(1e-8), 3), Ok(()));
        assert_eq!(distinct(&values(1e-12), 3), Err(Failure::EqualValues { states: [1, 2] }));
        // Nothing is divided by the difference of two states that do not count.
        assert_eq!(distinct(&values(1e-12), 1), Ok(()));
    }

    #[test]
    fn weights_of_equal_values_have_to_be_equal() {
        let column = |g: [f64; 2]| Matrix::column_of(g.to_vec());
        assert_eq!(uniform(&column([1.0, 1.0]), &column([3.0, 3.0])), Ok(()));
        assert_eq!(uniform(&column([1.0, 2.0]), &column([3.0, 4.0])), Ok(()));
        assert_eq!(uniform(&column([1.0, 2.0]), &column([3.0, 3.0])), Err(Failure::EqualValues { states: [0, 1] }));
    }
}
