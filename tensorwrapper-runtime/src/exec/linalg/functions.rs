//! The functions of `linalg`. Each returns an operation that is not computed yet.
//!
//! Its type is a parameter of the function, `F`, instead of an associated type in the signature: rustc then reports an argument that does
//! not fit once, and not for the result again.

use super::operations::{
    Cholesky, Det, Eig, Eigh, Expm, Inv, Lq, Lstsq, Lu, Matpow, Norm, Pinv, Qr, Rank, Slogdet, Solve, Svd, Trace,
    TriangularSolve, labelled, labels,
};
use super::static_factors::{Matrices, RightHandSide};
use crate::expr::{Factors, TensorLike};
use tensorwrapper_core::element::Element;

/// The functions of one matrix.
macro_rules! functions {
    ($($Name:ident, $name:ident, $doc:literal, [$($alias:literal),*];)*) => { $(
        #[doc = $doc]
        #[doc(alias($($alias),*))]
        pub fn $name<'a, X: Matrices<Factors<'a, $Name> = F>, F>(a: &'a X) -> F {
            a.factors::<$Name>(1)
        }
    )* };
}
functions! {
    Cholesky, cholesky, "A = L·Lᴴ of Hermitian, positive definite matrices, of which the lower triangle is read.", ["chol", "potrf"];
    Eigh, eigh, "Eigenvalues, ascending, and eigenvectors of Hermitian matrices, of which the lower triangle is read.", ["eigen", "eigvalsh", "symeig", "syevd"];
    Eig, eig, "Eigenvalues and eigenvectors of square matrices.", ["eigen", "eigvals"];
    Qr, qr, "A = Q·R.", ["orthogonalize"];
    Lq, lq, "A = L·Q.", ["gelqf"];
    Svd, svd, "A = U·diag(s)·V.", ["svdvals", "gesdd", "singular_values"];
    Lu, lu, "A = P·L·U.", ["getrf"];
    Inv, inv, "A⁻¹.", ["inverse"];
    Pinv, pinv, "A⁺, of Moore and Penrose.", ["pseudoinverse"];
    Expm, expm, "exp A.", ["exp"];
    Det, det, "The determinant.", ["determinant"];
    Slogdet, slogdet, "The phase of the determinant, and the logarithm of its size.", ["logdet", "logabsdet"];
    Trace, trace, "The sum of the diagonal.", ["tr"];
    Rank, rank, "The number of singular values that are not zero.", ["matrix_rank"];
    Norm, norm, "The root of the sum of all squares of each matrix; of a vector, where the tensor is one.", ["frobenius", "nrm2"];
}

/// Aⁿ.
#[doc(alias("matrix_power", "mpow"))]
pub fn matpow<'a, X: Matrices<Factors<'a, Matpow> = F>, F>(a: &'a X, exponent: i32) -> F {
    a.factors::<Matpow>(exponent)
}

/// [`svd`] with truncation by [`max`](Factors::max) or [`tol`](Factors::tol), and the discarded weight as a fourth result. The
/// results are not static, because their extents may depend on elements.
#[doc(alias("cutoff", "maxdim", "truncate", "truncated_svd", "factorize"))]
#[allow(clippy::type_complexity, reason = "the element types of the results")]
pub fn svd_cut<X: TensorLike<Elem: Element>>(
    a: &X,
) -> Factors<'_, X::Elem, (X::Elem, <X::Elem as Element>::Real, X::Elem, <X::Elem as Element>::Real)> {
    let (a, rank) = labelled((a, "A"), &["i", "j"]);
    let [u, s, v] = [labels(&["i", "k"], rank), labels(&["k"], rank - 1), labels(&["k", "j"], rank)];
    a.svd_cut([&u, &s, &v, &labels(&[], rank - 2)]).matrix("i,", "j,")
}

/// A = U·diag(s)·V with square U and V.
#[doc(alias("full_matrices"))]
#[allow(clippy::type_complexity, reason = "as above")]
pub fn svd_full<X: TensorLike<Elem: Element>>(a: &X) -> Factors<'_, X::Elem, (X::Elem, <X::Elem as Element>::Real, X::Elem)> {
    let (a, rank) = labelled((a, "A"), &["i", "j"]);
    let [u, s, v] = [labels(&["i", "m"], rank), labels(&["k"], rank - 1), labels(&["n", "j"], rank)];
    a.svd([&u, &s, &v]).full().matrix("i,", "j,")
}

/// Eigenvalues and eigenvectors of Hermitian matrices with respect to a metric: A·x = λ·S·x.
#[allow(clippy::type_complexity, reason = "as above")]
pub fn eigh_in_metric<'a, X, Y>(a: &'a X, metric: &'a Y) -> Factors<'a, X::Elem, (<X::Elem as Element>::Real, X::Elem)>
where
    X: TensorLike<Elem: Element>,
    Y: TensorLike<Elem = X::Elem>,
{
    let ((a, rank), (metric, _)) = (labelled((a, "A"), &["i", "j"]), labelled((metric, "S"), &["i", "j"]));
    a.eigh_in_metric(metric, [&labels(&["n"], rank - 1), &labels(&["i", "n"], rank)]).matrix("i,", "j,")
}

/// The functions of matrices and right sides.
macro_rules! systems {
    ($($Name:ident, $name:ident, $doc:literal, [$($alias:literal),*];)*) => { $(
        #[doc = $doc]
        /// A right side with one axis less than `a` has one vector for each matrix.
        #[doc(alias($($alias),*))]
        pub fn $name<'a, X, Y, F>(a: &'a X, b: &'a Y) -> F
        where
            X: TensorLike<Elem: Element> + RightHandSide<X::Elem, Y, Factors<'a, $Name> = F>,
            Y: TensorLike<Elem = X::Elem>,
        {
            RightHandSide::<X::Elem, Y>::factors::<$Name>(a, b)
        }
    )* };
}
systems! {
    Solve, solve, "The X of A·X = B.", ["ldiv", "mldivide", "linsolve"];
    TriangularSolve, triangular_solve, "The X of A·X = B, of which the lower triangle of A is read, or the [`upper`](Factors::upper).", ["solve_triangular", "trsm"];
    Lstsq, lstsq, "The shortest X with the least ‖A·X − B‖.", ["least_squares"];
}
