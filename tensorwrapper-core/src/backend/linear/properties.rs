//! What is known of an operation before it runs: what it does with NaN and infinity, and whether its right side is transposed.

use tensorwrapper_notation::syntax::Factorisation;

use crate::element::Element;

/// Whether NaN and infinity in the argument of an operation give a result: in sums of elements, and in divided differences, which need a
/// derivative of the function only where two places are equal.
pub(crate) fn takes_anything(kind: Factorisation) -> bool {
    matches!(kind, Factorisation::Norm | Factorisation::Trace | Factorisation::Divided)
}

/// Whether the results show NaN and infinity in the arguments, so that the arguments need no check beforehand. Elimination and
/// reflections carry them into the results, a Cholesky factor shows them on its diagonal, and results are checked in any case.
pub(crate) fn shows_what_is_not_finite<T: Element>(kind: Factorisation) -> bool {
    match kind {
        // Of a complex diagonal the imaginary part is not read.
        Factorisation::Cholesky => !T::DTYPE.is_complex(),
        Factorisation::Solve | Factorisation::Inv | Factorisation::Lu | Factorisation::Qr => true,
        Factorisation::Eigh
        | Factorisation::Eig
        | Factorisation::Lq
        | Factorisation::Svd
        | Factorisation::TriangularSolve
        | Factorisation::Lstsq
        | Factorisation::Pinv
        | Factorisation::Matpow
        | Factorisation::Expm
        | Factorisation::Det
        | Factorisation::Slogdet
        | Factorisation::Norm
        | Factorisation::Trace
        | Factorisation::Rank
        | Factorisation::Gaps
        | Factorisation::Distinct
        | Factorisation::Uniform
        | Factorisation::Divided
        | Factorisation::Adjugate => false,
    }
}

/// Systems of at least this number of rows are solved with the right side transposed, as it lies in tensors, so that reading and writing
/// it only copies. Measured: from 64 to 256 rows the solver's products take longer that way.
const TRANSPOSED_FROM: usize = 512;

/// Whether the second argument is read transposed and the result is written transposed, for a matrix of this number of rows.
pub fn is_transposed(kind: Factorisation, rows: usize) -> bool {
    matches!(kind, Factorisation::Solve | Factorisation::TriangularSolve | Factorisation::Inv) && rows >= TRANSPOSED_FROM
}
