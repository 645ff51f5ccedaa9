//! What a derivative of eigenvectors or singular vectors divides by the differences of their values, and where it does not exist.

use super::conventions::epsilon;
use super::failure::Failure;
use super::matrix::Matrix;
use crate::element::Element;

/// Differences of values are taken as zero below that many roundings of the largest.
pub const EQUAL_WITHIN: f64 = 8.0;

/// What is not Hermitian of a matrix counts as zero below that many roundings of its largest element.
const HERMITIAN_WITHIN: f64 = 1e4;

/// ½(A − Aᴴ) between states of different values; between equal ones it has to be zero.
pub(super) fn gaps<T: Element>(a: Matrix<T>, values: &Matrix<T>) -> Result<Matrix<T>, Failure> {
    let n = a.rows;
    let of = |i: usize| values.at(i, 0).to_complex();
    let rounding = epsilon::<T>() * n as f64;
    let largest = |all: &mut dyn Iterator<Item = f64>| all.fold(0.0, f64::max);
    let equal = EQUAL_WITHIN * rounding * largest(&mut (0..n).map(|i| of(i).norm()));
    let zero = HERMITIAN_WITHIN * rounding * largest(&mut a.data.iter().map(|x| x.to_complex().norm()));
    let mut found = a.clone();
    for i in 0..n {
        for j in 0..n {
            let apart = (a.at(i, j).to_complex() - a.at(j, i).to_complex().conj()) * 0.5;
            let is_equal = i != j && (of(i) - of(j)).norm() <= equal;
            if is_equal && apart.norm() > zero {
                return Err(Failure::EqualValues { states: [i.min(j), i.max(j)] });
            }
            *found.at_mut(i, j) = if is_equal { T::ZERO } else { T::from_complex(apart) };
        }
    }
    Ok(found)
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
}
