//! The marks of operations: types that identify the operation of a function, so that traits can name its results.

use tensorwrapper_notation::syntax::Factorisation;

use super::results::{Results, sealed};
use crate::expr::{Factors, Indexed, TensorLike};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};

/// Labels of the axes of a tensor: two of a matrix, or one, then those of the batch.
pub(super) fn labels(first: &[&str], rank: usize) -> String {
    let batch = (first.len()..rank).map(|n| format!("b{},", n - first.len()));
    first.iter().map(|name| format!("{name},")).chain(batch).collect()
}

/// A tensor labelled as a matrix of these axes and a batch, and its rank. The name is that of the page of the function.
pub(super) fn labelled<'a, X: TensorLike<Elem: Element>>(
    (tensor, name): (&'a X, &'static str),
    axes: &[&str],
) -> (Indexed<'a, X::Elem>, usize)
where
    X::Elem: Element,
{
    let given = tensor.operand().given;
    let rank = given.rank();
    let value = match rank < axes.len() {
        true => {
            let what = if axes.len() > 1 { "matrices" } else { "vectors" };
            let message = format!("`{name}` holds {what}, so its rank is {} or more, and here it is {rank}", axes.len());
            Err(Error::new(ErrorKind::Shape(message)))
        }
        false => given.value(),
    };
    let rank = rank.max(axes.len());
    (Indexed::called(value, name, &labels(axes, rank)), rank)
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

/// The operations on one matrix: the labels of each result's axes in front of the batch.
macro_rules! operations {
    ($($Name:ident, $name:ident([$($axes:expr),*]) -> ($($E:ident),*);)*) => { $(
        #[doc = concat!("The mark of [`", stringify!($name), "`](super::", stringify!($name), ").")]
        #[derive(Debug)]
        pub struct $Name;
        impl sealed::Sealed for $Name {}
        impl<T: Element> Operation<T> for $Name {
            type Results = ($(operations!(@one T $E),)*);
            const KIND: Factorisation = Factorisation::$Name;
            fn of<X: TensorLike<Elem = T>>(a: &X, _: i32) -> Factors<'_, T, Self::Results> {
                let (a, rank) = labelled((a, "A"), &["i", "j"]);
                let axes: &[&[&str]] = &[$($axes),*];
                let left: [String; operations!(@count $($E)*)] =
                    std::array::from_fn(|n| labels(axes[n], rank - 2 + axes[n].len()));
                operations!(@call a $name left $($E)*).matrix("i,", "j,")
            }
        }
    )* };
    (@count $One:ident) => { 1 };
    (@count $One:ident $($More:ident)*) => { 1 + operations!(@count $($More)*) };
    (@one $T:ident Same) => { $T };
    (@one $T:ident Real) => { $T::Real };
    (@one $T:ident Complex) => { $T::Complex };
    (@call $a:ident $method:ident $left:ident $One:ident) => { $a.$method(&$left[0]) };
    (@call $a:ident $method:ident $left:ident $($E:ident)*) => { $a.$method($left.each_ref().map(|left| &left[..])) };
}
operations! {
    Cholesky, cholesky([&["i", "k"]]) -> (Same);
    Eigh, eigh([&["n"], &["i", "n"]]) -> (Real, Same);
    Eig, eig([&["n"], &["i", "n"]]) -> (Complex, Complex);
    Qr, qr([&["i", "k"], &["k", "j"]]) -> (Same, Same);
    Lq, lq([&["i", "k"], &["k", "j"]]) -> (Same, Same);
    Svd, svd([&["i", "k"], &["k"], &["k", "j"]]) -> (Same, Real, Same);
    Lu, lu([&["i", "q"], &["q", "k"], &["k", "j"]]) -> (Same, Same, Same);
    Inv, inv([&["j", "i"]]) -> (Same);
    Pinv, pinv([&["j", "i"]]) -> (Same);
    Expm, expm([&["i", "j"]]) -> (Same);
    Det, det([&[]]) -> (Same);
    Slogdet, slogdet([&[], &[]]) -> (Same, Real);
    Trace, trace([&[]]) -> (Same);
    Rank, rank([&[]]) -> (Real);
}

/// The mark of [`norm`](super::norm).
#[derive(Debug)]
pub struct Norm;
impl sealed::Sealed for Norm {}
impl<T: Element> Operation<T> for Norm {
    type Results = (T::Real,);
    const KIND: Factorisation = Factorisation::Norm;
    fn of<X: TensorLike<Elem = T>>(a: &X, _: i32) -> Factors<'_, T, (T::Real,)> {
        let rank = a.operand().given.rank();
        let names = if rank <= 1 { &["i"][..] } else { &["i", "j"] };
        let (a, rank) = labelled((a, "A"), names);
        a.norm(&labels(&[], rank - names.len()))
    }
}

/// The mark of [`matpow`](super::matpow).
#[derive(Debug)]
pub struct Matpow;
impl sealed::Sealed for Matpow {}
impl<T: Element> Operation<T> for Matpow {
    type Results = (T,);
    const KIND: Factorisation = Factorisation::Matpow;
    fn of<X: TensorLike<Elem = T>>(a: &X, exponent: i32) -> Factors<'_, T, (T,)> {
        let (a, rank) = labelled((a, "A"), &["i", "j"]);
        a.matpow(exponent, &labels(&["i", "j"], rank)).matrix("i,", "j,")
    }
}

macro_rules! systems {
    ($($Name:ident, $name:ident;)*) => { $(
        #[doc = concat!("The mark of [`", stringify!($name), "`](super::", stringify!($name), ").")]
        #[derive(Debug)]
        pub struct $Name;
        impl sealed::Sealed for $Name {}
        impl<T: Element> System<T> for $Name {
            const KIND: Factorisation = Factorisation::$Name;
            fn of<'a, X: TensorLike<Elem = T>, Y: TensorLike<Elem = T>>(a: &'a X, b: &'a Y) -> Factors<'a, T, (T,)> {
                let (a, rank) = labelled((a, "A"), &["i", "k"]);
                let is_vector = b.operand().given.rank() < rank;
                let (b, rank) = labelled((b, "B"), if is_vector { &["i"] } else { &["i", "j"] });
                a.$name(b, &labels(if is_vector { &["k"] } else { &["k", "j"] }, rank))
            }
        }
    )* };
}
systems! {
    Solve, solve;
    TriangularSolve, triangular_solve;
    Lstsq, lstsq;
}
