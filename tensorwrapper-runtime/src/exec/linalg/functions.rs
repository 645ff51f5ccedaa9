//! The functions, and their marks: types that say which operation a function is, so that traits can name its results.

use tensorwrapper_notation::syntax::Factorisation;

use super::{Beside, Matrices, Results, sealed};
use crate::expr::{Factors, Indexed, TensorLike};
use tensorwrapper_core::element::Element;

/// Labels of the axes of a tensor: two of a matrix, or one, then those of the batch.
fn labels(first: &[&str], rank: usize) -> String {
    let batch = (first.len()..rank).map(|n| format!("b{},", n - first.len()));
    first.iter().map(|name| format!("{name},")).chain(batch).collect()
}

/// A tensor labelled as a matrix `names` and a batch, and its rank.
fn labelled<'a, X: TensorLike>(tensor: &'a X, names: &[&str]) -> (Indexed<'a, X::Elem>, usize)
where
    X::Elem: Element,
{
    let value = tensor.operand().given.value();
    let rank = value.extents.len();
    (Indexed::new(value, &labels(names, rank.max(names.len()))), rank.max(names.len()))
}

/// An operation on matrices over `T`, one of the marks of this module. Sealed.
pub trait Operation<T: Element>: sealed::Sealed {
    /// The element types of its results.
    type Results: Results;
    #[doc(hidden)]
    const KIND: Factorisation;
    #[doc(hidden)]
    fn of<X: TensorLike<Elem = T>>(a: &X, exponent: i32) -> Factors<'_, T, Self::Results>;
}

/// An operation on matrices and right sides over `T`, one of the marks of this module. Sealed.
pub trait System<T: Element>: sealed::Sealed {
    #[doc(hidden)]
    const KIND: Factorisation;
    #[doc(hidden)]
    fn of<'a, X: TensorLike<Elem = T>, Y: TensorLike<Elem = T>>(a: &'a X, b: &'a Y) -> Factors<'a, T, (T,)>;
}

/// The functions of one matrix: the labels of each result's axes in front of the batch.
macro_rules! functions {
    ($($Name:ident, $name:ident([$($axes:expr),*]) -> ($($E:ident),*), $doc:literal;)*) => { $(
        #[doc = concat!("The mark of [`", stringify!($name), "`].")]
        #[derive(Debug)]
        pub struct $Name;
        impl sealed::Sealed for $Name {}
        impl<T: Element> Operation<T> for $Name {
            type Results = ($(functions!(@one T $E),)*);
            const KIND: Factorisation = Factorisation::$Name;
            fn of<X: TensorLike<Elem = T>>(a: &X, _: i32) -> Factors<'_, T, Self::Results> {
                let (a, rank) = labelled(a, &["i", "j"]);
                let axes: &[&[&str]] = &[$($axes),*];
                let left: [String; functions!(@count $($E)*)] =
                    std::array::from_fn(|n| labels(axes[n], rank - 2 + axes[n].len()));
                functions!(@call a $name left $($E)*).matrix("i,", "j,")
            }
        }
        #[doc = $doc]
        pub fn $name<X: Matrices>(a: &X) -> X::Factors<'_, $Name> {
            a.factors(1)
        }
    )* };
    (@count $One:ident) => { 1 };
    (@count $One:ident $($More:ident)*) => { 1 + functions!(@count $($More)*) };
    (@one $T:ident Same) => { $T };
    (@one $T:ident Real) => { $T::Real };
    (@one $T:ident Complex) => { $T::Complex };
    (@call $a:ident $method:ident $left:ident $One:ident) => { $a.$method(&$left[0]) };
    (@call $a:ident $method:ident $left:ident $($E:ident)*) => { $a.$method($left.each_ref().map(|left| &left[..])) };
}
functions! {
    Cholesky, cholesky([&["i", "k"]]) -> (Same), "A = L·Lᴴ of Hermitian, positive definite matrices, of which the lower triangle is read.";
    Eigh, eigh([&["n"], &["i", "n"]]) -> (Real, Same), "Eigenvalues, ascending, and eigenvectors of Hermitian matrices, of which the lower triangle is read.";
    Eig, eig([&["n"], &["i", "n"]]) -> (Complex, Complex), "Eigenvalues and eigenvectors of square matrices.";
    Qr, qr([&["i", "k"], &["k", "j"]]) -> (Same, Same), "A = Q·R.";
    Lq, lq([&["i", "k"], &["k", "j"]]) -> (Same, Same), "A = L·Q.";
    Svd, svd([&["i", "k"], &["k"], &["k", "j"]]) -> (Same, Real, Same), "A = U·diag(s)·V.";
    Lu, lu([&["i", "q"], &["q", "k"], &["k", "j"]]) -> (Same, Same, Same), "A = P·L·U.";
    Inv, inv([&["j", "i"]]) -> (Same), "A⁻¹.";
    Pinv, pinv([&["j", "i"]]) -> (Same), "A⁺, of Moore and Penrose.";
    Expm, expm([&["i", "j"]]) -> (Same), "exp A.";
    Det, det([&[]]) -> (Same), "The determinant.";
    Slogdet, slogdet([&[], &[]]) -> (Same, Real), "The phase of the determinant, and the logarithm of its size.";
    Trace, trace([&[]]) -> (Same), "The sum of the diagonal.";
    Rank, rank([&[]]) -> (Real), "The number of singular values that are not zero.";
}

/// The mark of [`norm`].
#[derive(Debug)]
pub struct Norm;
impl sealed::Sealed for Norm {}
impl<T: Element> Operation<T> for Norm {
    type Results = (T::Real,);
    const KIND: Factorisation = Factorisation::Norm;
    fn of<X: TensorLike<Elem = T>>(a: &X, _: i32) -> Factors<'_, T, (T::Real,)> {
        let rank = a.operand().given.value().extents.len();
        let names = if rank == 1 { &["i"][..] } else { &["i", "j"] };
        let (a, rank) = labelled(a, names);
        a.norm(&labels(&[], rank - names.len()))
    }
}

/// The root of the sum of all squares of each matrix; of a vector, where the tensor is one.
pub fn norm<X: Matrices>(a: &X) -> X::Factors<'_, Norm> {
    a.factors(1)
}

/// The mark of [`matpow`].
#[derive(Debug)]
pub struct Matpow;
impl sealed::Sealed for Matpow {}
impl<T: Element> Operation<T> for Matpow {
    type Results = (T,);
    const KIND: Factorisation = Factorisation::Matpow;
    fn of<X: TensorLike<Elem = T>>(a: &X, exponent: i32) -> Factors<'_, T, (T,)> {
        let (a, rank) = labelled(a, &["i", "j"]);
        a.matpow(exponent, &labels(&["i", "j"], rank)).matrix("i,", "j,")
    }
}

/// Aⁿ.
pub fn matpow<X: Matrices>(a: &X, exponent: i32) -> X::Factors<'_, Matpow> {
    a.factors(exponent)
}

/// [`svd`] with [`max`](Factors::max) or [`tol`](Factors::tol), and the weight of what is discarded. Results are tensors, since elements
/// may tell their extents.
#[allow(clippy::type_complexity, reason = "the element types of the results")]
pub fn svd_cut<X: TensorLike>(
    a: &X,
) -> Factors<'_, X::Elem, (X::Elem, <X::Elem as Element>::Real, X::Elem, <X::Elem as Element>::Real)> {
    let (a, rank) = labelled(a, &["i", "j"]);
    let [u, s, v] = [labels(&["i", "k"], rank), labels(&["k"], rank - 1), labels(&["k", "j"], rank)];
    a.svd_cut([&u, &s, &v, &labels(&[], rank - 2)]).matrix("i,", "j,")
}

/// A = U·diag(s)·V with square U and V.
#[allow(clippy::type_complexity, reason = "as above")]
pub fn svd_full<X: TensorLike>(a: &X) -> Factors<'_, X::Elem, (X::Elem, <X::Elem as Element>::Real, X::Elem)> {
    let (a, rank) = labelled(a, &["i", "j"]);
    let [u, s, v] = [labels(&["i", "m"], rank), labels(&["k"], rank - 1), labels(&["n", "j"], rank)];
    a.svd([&u, &s, &v]).full().matrix("i,", "j,")
}

/// Eigenvalues and eigenvectors of Hermitian matrices in the metric of others.
#[allow(clippy::type_complexity, reason = "as above")]
pub fn eigh_in_metric<'a, X, Y>(a: &'a X, metric: &'a Y) -> Factors<'a, X::Elem, (<X::Elem as Element>::Real, X::Elem)>
where
    X: TensorLike,
    Y: TensorLike<Elem = X::Elem>,
{
    let ((a, rank), (metric, _)) = (labelled(a, &["i", "j"]), labelled(metric, &["i", "j"]));
    a.eigh_in_metric(metric, [&labels(&["n"], rank - 1), &labels(&["i", "n"], rank)]).matrix("i,", "j,")
}

macro_rules! systems {
    ($($Name:ident, $name:ident, $doc:literal;)*) => { $(
        #[doc = concat!("The mark of [`", stringify!($name), "`].")]
        #[derive(Debug)]
        pub struct $Name;
        impl sealed::Sealed for $Name {}
        impl<T: Element> System<T> for $Name {
            const KIND: Factorisation = Factorisation::$Name;
            fn of<'a, X: TensorLike<Elem = T>, Y: TensorLike<Elem = T>>(a: &'a X, b: &'a Y) -> Factors<'a, T, (T,)> {
                let (a, rank) = labelled(a, &["i", "k"]);
                let is_vector = b.operand().given.value().extents.len() < rank;
                let (b, rank) = labelled(b, if is_vector { &["i"] } else { &["i", "j"] });
                a.$name(b, &labels(if is_vector { &["k"] } else { &["k", "j"] }, rank))
            }
        }
        #[doc = $doc]
        /// A right side of one axis less is a vector for each matrix.
        pub fn $name<'a, X, Y>(a: &'a X, b: &'a Y) -> <X as Beside<X::Elem, Y>>::Factors<'a, $Name>
        where
            X: TensorLike + Beside<X::Elem, Y>,
            Y: TensorLike<Elem = X::Elem>,
        {
            Beside::<X::Elem, Y>::factors(a, b)
        }
    )* };
}
systems! {
    Solve, solve, "The X of A·X = B.";
    TriangularSolve, triangular_solve, "The X of A·X = B, of which the lower triangle of A is read, or the [`upper`](Factors::upper).";
    Lstsq, lstsq, "The shortest X with the least ‖A·X − B‖.";
}
