//! Which symmetry of a matrix its functions have, too.
//!
//! A permutation of axes that leaves rows and columns where they are, or exchanges them as wholes, says A = ±P·A·Q, or ±P·Aᵀ·Q, perhaps
//! conjugated, with permutations P and Q of rows and columns. So it says the same of the inverse. Powers and what is a sum of them have it
//! where rows and columns are permuted alike, so that P·Q = 1: the power of the sign is the sign of the power.

use tensorwrapper_core::backend::{Decomposition, Factorisation};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::symmetry::{Sign, SignedPermutation, Symmetry};

use super::matrix::{BlockMatrix, COLUMNS, ROWS};

/// The symmetry of the inverse, whose first axes are the columns of the matrix.
///
/// # Errors
/// As [`Symmetry::extend_by`].
pub(super) fn of_inverse(matrix: &BlockMatrix<'_>) -> Result<Symmetry, Error> {
    let order: Vec<usize> = matrix.axes[COLUMNS].iter().chain(&matrix.axes[ROWS]).copied().collect();
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(n, &axis)| place[axis] = n);
    let moved = |by: &SignedPermutation| {
        is_of_sides(matrix, by).then(|| {
            let axes: Vec<usize> = order.iter().map(|&axis| place[by.axis(axis)]).collect();
            Ok(like(SignedPermutation::new(&axes, by.sign())?, by))
        })
    };
    generated(matrix, matrix.structure.symmetry().elements().iter().filter_map(moved))
}

/// The symmetry of an exponential or a power, with the axes of the matrix.
///
/// # Errors
/// As [`Symmetry::extend_by`].
pub(super) fn of_function(matrix: &BlockMatrix<'_>, call: &Decomposition) -> Result<Symmetry, Error> {
    let [rows, columns] = &matrix.axes;
    let number = |axis: usize| rows.iter().chain(columns).position(|&known| known == axis).map(|n| n % rows.len());
    let are_alike = |by: &SignedPermutation| rows.iter().zip(columns).all(|(&r, &c)| number(by.axis(r)) == number(by.axis(c)));
    let signed = |by: &SignedPermutation| {
        let sign = match (call.kind, by.sign()) {
            (_, Sign::Plus) => Sign::Plus,
            (Factorisation::Matpow, Sign::Minus) if call.exponent % 2 == 0 => Sign::Plus,
            (Factorisation::Matpow, Sign::Minus) => Sign::Minus,
            // A sum of even and odd powers.
            _ => return None,
        };
        (is_of_sides(matrix, by) && are_alike(by)).then(|| Ok(by.clone().with_sign(sign)))
    };
    generated(matrix, matrix.structure.symmetry().elements().iter().filter_map(signed))
}

/// Whether a permutation leaves rows and columns where they are, or exchanges them as wholes.
fn is_of_sides(matrix: &BlockMatrix<'_>, by: &SignedPermutation) -> bool {
    let [rows, columns] = &matrix.axes;
    let all = |from: &[usize], to: &[usize]| from.iter().all(|&axis| to.contains(&by.axis(axis)));
    all(rows, rows) && all(columns, columns) || all(rows, columns) && all(columns, rows)
}

/// The same permutation, conjugating if this one does.
fn like(permutation: SignedPermutation, by: &SignedPermutation) -> SignedPermutation {
    if by.conjugates() { permutation.conjugating() } else { permutation }
}

/// The group of these permutations.
fn generated(
    matrix: &BlockMatrix<'_>,
    permutations: impl Iterator<Item = Result<SignedPermutation, Error>>,
) -> Result<Symmetry, Error> {
    let mut symmetry = Symmetry::none(matrix.structure.rank());
    symmetry.extend_by(permutations.collect::<Result<Vec<_>, _>>()?)?;
    Ok(symmetry)
}
