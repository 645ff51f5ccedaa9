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

/// Two values between which a derivative would divide by so small a difference that less than a third of its digits were left.
fn near<T: Element>(values: &Matrix<T>) -> impl Fn(usize, usize) -> bool {
    let rounding = epsilon::<T>();
    let within = rounding.powf(2.0 / 3.0).max(EQUAL_WITHIN * rounding * values.rows as f64);
    let largest = values.data.iter().map(|x| x.to_complex().norm()).fold(0.0, f64::max);
    move |i, j| (values.at(i, 0).to_complex() - values.at(j, 0).to_complex()).norm() <= within * largest
}

/// ½(A − Aᴴ) between states of different values; between equal ones it has to be zero.
pub(super) fn gaps<T: Element>(a: Matrix<T>, values: &Matrix<T>) -> Result<Matrix<T>, Failure> {
    let n = a.rows;
    let largest = a.data.iter().map(|x| x.to_complex().norm()).fold(0.0, f64::max);
    let (zero, is_near) = (zero_within::<T>(n) * largest, near(values));
    let mut found = a.clone();
    for i in 0..n {
        for j in 0..n {
            let apart = (a.at(i, j).to_complex() - a.at(j, i).to_complex().conj()) * 0.5;
            let is_equal = i != j && is_near(i, j);
            if is_equal && apart.norm() > zero {
                return Err(Failure::EqualValues { states: [i.min(j), i.max(j)] });
            }
            *found.at_mut(i, j) = if is_equal { T::ZERO } else { T::from_complex(apart) };
        }
    }
    Ok(found)
}

/// Fails where two of the values are equal.
pub(super) fn distinct<T: Element>(values: &Matrix<T>) -> Result<(), Failure> {
    let is_near = near(values);
    let pairs = (0..values.rows).flat_map(|j| (0..j).map(move |i| [i, j]));
    pairs.into_iter().find(|&[i, j]| is_near(i, j)).map_or(Ok(()), |states| Err(Failure::EqualValues { states }))
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
        assert_eq!(gaps(matrix([[1.0, 2.0], [2.0, 5.0]]), &values).unwrap().data, [0.0; 4]);
        let found = gaps(matrix([[1.0, 2.0], [2.5, 5.0]]), &values);
        assert_eq!(found.unwrap_err(), Failure::EqualValues { states: [0, 1] });
        let values = Matrix::from_fn(2, 1, |i, _| i as f64);
        let found = gaps(matrix([[1.0, 2.0], [2.5, 5.0]]), &values).unwrap();
        assert_eq!((found.at(0, 1), found.at(1, 0), found.at(0, 0)), (-0.25, 0.25, 0.0));
    }

    #[test]
    fn values_that_are_almost_equal_are_not_distinct() {
        let values = |gap: f64| Matrix::from_fn(3, 1, move |i, _| [1.0, 4.0, 4.0 + gap][i]);
        assert_eq!(distinct(&values(1e-8)), Ok(()));
        assert_eq!(distinct(&values(1e-12)), Err(Failure::EqualValues { states: [1, 2] }));
    }
}
