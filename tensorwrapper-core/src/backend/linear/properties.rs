//! What is known of an operation before it runs: what it does with NaN and infinity, and which way around its right side lies.

use tensorwrapper_notation::syntax::Factorisation;

use crate::element::Element;

/// Whether an operation is a sum of elements, which NaN and infinity pass through.
pub(crate) fn takes_anything(kind: Factorisation) -> bool {
    matches!(kind, Factorisation::Norm | Factorisation::Trace)
}

/// Whether the results tell of NaN and infinity in the arguments, so that nobody need look for them ahead: elimination and
/// reflections take them on, a factor of Cholesky shows them on its diagonal, and results are looked at in any case.
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
        | Factorisation::Rank => false,
    }
}

/// Systems of so many rows and more are solved with the right side transposed: it lies that way in tensors, so that reading and
/// writing it only copies. Measured: of 64 to 256 rows the solver's products take longer that way.
const TRANSPOSED_FROM: usize = 512;

/// Whether the second argument of an operation on a matrix of so many rows is read transposed, and its result written so.
pub fn is_transposed(kind: Factorisation, rows: usize) -> bool {
    matches!(kind, Factorisation::Solve | Factorisation::TriangularSolve | Factorisation::Inv) && rows >= TRANSPOSED_FROM
}
