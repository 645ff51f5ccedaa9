//! Linear algebra without labels: the first axes of a tensor are those of a matrix, the others those of the batch.
//!
//! Each function gives [`Factors`], which [`eval`](Factors::eval) computes. Of a tensor `[n, m, b…]` there is a matrix n×m for
//! each index of the axes `b…`, and results have those axes last as well.
//!
//! | function | arguments | results |
//! |---|---|---|
//! | [`cholesky`] | `[n, n, b…]` | `[n, n, b…]`, A = L·Lᴴ |
//! | [`eigh`] | `[n, n, b…]`, with [`eigh_in_metric`] two | values `[n, b…]`, vectors `[n, n, b…]` |
//! | [`eig`] | `[n, n, b…]` | values `[n, b…]`, vectors `[n, n, b…]`, complex |
//! | [`svd`], [`svd_cut`], [`svd_full`] | `[n, m, b…]` | U `[n, k, b…]`, s `[k, b…]`, V `[k, m, b…]`, discarded weight `[b…]` |
//! | [`qr`], [`lq`] | `[n, m, b…]` | `[n, k, b…]`, `[k, m, b…]` |
//! | [`lu`] | `[n, m, b…]` | P `[n, n, b…]`, L `[n, k, b…]`, U `[k, m, b…]` |
//! | [`solve`], [`triangular_solve`], [`lstsq`] | A `[n, m, b…]`, B `[n, k, b…]` or `[n, b…]` | `[m, k, b…]` or `[m, b…]` |
//! | [`inv`], [`pinv`] | `[n, m, b…]` | `[m, n, b…]` |
//! | [`matpow`], [`expm`] | `[n, n, b…]` | `[n, n, b…]` |
//! | [`det`], [`slogdet`], [`trace`], [`norm`], [`rank`] | `[n, m, b…]` | `[b…]` |
//!
//! ```
//! use tensorwrapper_runtime::{Tensor, linalg};
//! let a = Tensor::<f64>::from_slice([2, 2], &[2.0, 1.0, 1.0, 3.0])?;
//! let b = Tensor::<f64>::from_slice([2], &[3.0, 4.0])?;
//! assert_eq!(linalg::solve(&a, &b).eval()?.as_slice(), [1.0, 1.0]);
//! assert!((linalg::det(&a).eval()?[[]] - 5.0).abs() < 1e-14);
//! let (values, _) = linalg::eigh(&a).eval()?;
//! assert!(values[[0]] < values[[1]]);
//! # Ok::<(), tensorwrapper_runtime::Error>(())
//! ```

use std::sync::Arc;

use super::context::Context;
use super::run::evaluate;
use crate::element::Element;
use crate::error::Error;
pub use crate::expr::Factors;
use crate::expr::{Expr, Indexed, TensorLike, Value, only_recorded};
use crate::tensor::{AnyTensor, Tensor};

impl<'a, T: Element, R: Results> Factors<'a, T, R> {
    /// Computes the results.
    ///
    /// # Errors
    /// Everything that was wrong in the chain, labels and extents that do not fit, memory; a matrix that is not as the operation
    /// needs it, or an iteration that does not converge.
    pub fn eval(&self) -> Result<R::Computed, Error> {
        self.eval_in(Context::global())
    }

    /// [`eval`](Factors::eval) in a context.
    ///
    /// # Errors
    /// As [`eval`](Factors::eval).
    pub fn eval_in(&self, context: &Context) -> Result<R::Computed, Error> {
        let values = self.values(&|values| evaluate(context, values))?;
        R::computed(evaluate(context, &values)?)
    }

    /// The results as operands of other chains and of `tensor!`, computed when somebody needs their elements.
    ///
    /// # Errors
    /// Everything that was wrong in the chain, labels and extents that do not fit; and a tolerance of
    /// [`svd`](Indexed::svd), which needs elements to tell extents.
    pub fn record(&self) -> Result<R::Recorded<'a>, Error> {
        let values = self.values(&|_| Err(only_recorded()))?;
        Ok(R::recorded(Recordings(values.into_iter())))
    }
}

/// Recorded results, one after another.
#[doc(hidden)]
#[derive(Debug)]
pub struct Recordings<'a>(std::vec::IntoIter<Arc<Value<'a>>>);

impl<'a> Recordings<'a> {
    fn next<T: Element>(&mut self) -> Expr<'a, T> {
        Expr::new(self.0.next().expect("there is a value for each result"))
    }
}

mod sealed {
    pub trait Sealed {}
}

/// The element types of several results, as a tuple. Sealed.
pub trait Results: sealed::Sealed {
    /// The computed results: one tensor, or a tuple of them.
    type Computed;
    /// The recorded results.
    type Recorded<'a>;
    #[doc(hidden)]
    fn computed(tensors: Vec<AnyTensor>) -> Result<Self::Computed, Error>;
    #[doc(hidden)]
    fn recorded(values: Recordings<'_>) -> Self::Recorded<'_>;
}

impl<A: Element> sealed::Sealed for (A,) {}
impl<A: Element> Results for (A,) {
    type Computed = Tensor<A>;
    type Recorded<'a> = Expr<'a, A>;

    fn computed(mut tensors: Vec<AnyTensor>) -> Result<Tensor<A>, Error> {
        tensors.remove(0).into_tensor()
    }

    fn recorded(mut values: Recordings<'_>) -> Expr<'_, A> {
        values.next()
    }
}

macro_rules! results {
    ($($($E:ident)*;)*) => { $(
        impl<$($E: Element),*> sealed::Sealed for ($($E,)*) {}
        impl<$($E: Element),*> Results for ($($E,)*) {
            type Computed = ($(Tensor<$E>,)*);
            type Recorded<'a> = ($(Expr<'a, $E>,)*);

            fn computed(tensors: Vec<AnyTensor>) -> Result<Self::Computed, Error> {
                let mut tensors = tensors.into_iter();
                let mut next = || tensors.next().expect("there is a tensor for each result");
                Ok(($(next().into_tensor::<$E>()?,)*))
            }

            fn recorded(mut values: Recordings<'_>) -> Self::Recorded<'_> {
                ($(values.next::<$E>(),)*)
            }
        }
    )* };
}
results! {
    A B;
    A B C;
    A B C D;
}

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

/// The functions of one matrix: the labels of each result's axes in front of the batch.
macro_rules! functions {
    ($($name:ident: $method:ident([$($axes:expr),*]) -> ($($E:ident),*), $doc:literal;)*) => { $(
        #[doc = $doc]
        pub fn $name<X: TensorLike<Elem: Element>>(a: &X) -> Factors<'_, X::Elem, functions!(@types X $($E)*)> {
            let (a, rank) = labelled(a, &["i", "j"]);
            let axes: &[&[&str]] = &[$($axes),*];
            let left: [String; functions!(@count $($E)*)] =
                std::array::from_fn(|n| labels(axes[n], rank - 2 + axes[n].len()));
            functions!(@call a $method left $($E)*).matrix("i,", "j,")
        }
    )* };
    (@count $One:ident) => { 1 };
    (@count $One:ident $($More:ident)*) => { 1 + functions!(@count $($More)*) };
    (@types $X:ident $($E:ident)*) => { ($(functions!(@one $X $E),)*) };
    (@one $X:ident Same) => { $X::Elem };
    (@one $X:ident Real) => { <$X::Elem as Element>::Real };
    (@one $X:ident Complex) => { <$X::Elem as Element>::Complex };
    (@call $a:ident $method:ident $left:ident $One:ident) => { $a.$method(&$left[0]) };
    (@call $a:ident $method:ident $left:ident $($E:ident)*) => { $a.$method($left.each_ref().map(|left| &left[..])) };
}
functions! {
    cholesky: cholesky([&["i", "k"]]) -> (Same), "A = L·Lᴴ of Hermitian, positive definite matrices, of which the lower triangle is read.";
    eigh: eigh([&["n"], &["i", "n"]]) -> (Real, Same), "Eigenvalues, ascending, and eigenvectors of Hermitian matrices, of which the lower triangle is read.";
    eig: eig([&["n"], &["i", "n"]]) -> (Complex, Complex), "Eigenvalues and eigenvectors of square matrices.";
    qr: qr([&["i", "k"], &["k", "j"]]) -> (Same, Same), "A = Q·R.";
    lq: lq([&["i", "k"], &["k", "j"]]) -> (Same, Same), "A = L·Q.";
    svd: svd([&["i", "k"], &["k"], &["k", "j"]]) -> (Same, Real, Same), "A = U·diag(s)·V.";
    svd_cut: svd_cut([&["i", "k"], &["k"], &["k", "j"], &[]]) -> (Same, Real, Same, Real), "The same with [`max`](Factors::max) or [`tol`](Factors::tol), and the weight of what is discarded.";
    lu: lu([&["i", "q"], &["q", "k"], &["k", "j"]]) -> (Same, Same, Same), "A = P·L·U.";
    inv: inv([&["j", "i"]]) -> (Same), "A⁻¹.";
    pinv: pinv([&["j", "i"]]) -> (Same), "A⁺, of Moore and Penrose.";
    expm: expm([&["i", "j"]]) -> (Same), "exp A.";
    det: det([&[]]) -> (Same), "The determinant.";
    slogdet: slogdet([&[], &[]]) -> (Same, Real), "The phase of the determinant, and the logarithm of its size.";
    trace: trace([&[]]) -> (Same), "The sum of the diagonal.";
    rank: rank([&[]]) -> (Real), "The number of singular values that are not zero.";
}

/// The root of the sum of all squares of each matrix; of a vector, where the tensor is one.
pub fn norm<X: TensorLike<Elem: Element>>(a: &X) -> Factors<'_, X::Elem, (<X::Elem as Element>::Real,)> {
    let rank = a.operand().given.value().extents.len();
    let names = if rank == 1 { &["i"][..] } else { &["i", "j"] };
    let (a, rank) = labelled(a, names);
    a.norm(&labels(&[], rank - names.len()))
}

/// A = U·diag(s)·V with square U and V.
#[allow(clippy::type_complexity, reason = "the element types of the results, as in the other functions")]
pub fn svd_full<X: TensorLike<Elem: Element>>(a: &X) -> Factors<'_, X::Elem, (X::Elem, <X::Elem as Element>::Real, X::Elem)> {
    let (a, rank) = labelled(a, &["i", "j"]);
    let [u, s, v] = [labels(&["i", "m"], rank), labels(&["k"], rank - 1), labels(&["n", "j"], rank)];
    a.svd([&u, &s, &v]).full().matrix("i,", "j,")
}

/// Aⁿ.
pub fn matpow<X: TensorLike<Elem: Element>>(a: &X, exponent: i32) -> Factors<'_, X::Elem, (X::Elem,)> {
    let (a, rank) = labelled(a, &["i", "j"]);
    a.matpow(exponent, &labels(&["i", "j"], rank)).matrix("i,", "j,")
}

/// Eigenvalues and eigenvectors of Hermitian matrices in the metric of others.
#[allow(clippy::type_complexity, reason = "the element types of the results, as in the other functions")]
pub fn eigh_in_metric<'a, X, Y>(a: &'a X, metric: &'a Y) -> Factors<'a, X::Elem, (<X::Elem as Element>::Real, X::Elem)>
where
    X: TensorLike<Elem: Element>,
    Y: TensorLike<Elem = X::Elem>,
{
    let ((a, rank), (metric, _)) = (labelled(a, &["i", "j"]), labelled(metric, &["i", "j"]));
    a.eigh_in_metric(metric, [&labels(&["n"], rank - 1), &labels(&["i", "n"], rank)]).matrix("i,", "j,")
}

macro_rules! systems {
    ($($name:ident, $doc:literal;)*) => { $(
        #[doc = $doc]
        /// A right side of one axis less is a vector for each matrix.
        pub fn $name<'a, X, Y>(a: &'a X, b: &'a Y) -> Factors<'a, X::Elem, (X::Elem,)>
        where
            X: TensorLike<Elem: Element>,
            Y: TensorLike<Elem = X::Elem>,
        {
            let (a, rank) = labelled(a, &["i", "k"]);
            let is_vector = b.operand().given.value().extents.len() < rank;
            let (b, rank) = labelled(b, if is_vector { &["i"] } else { &["i", "j"] });
            a.$name(b, &labels(if is_vector { &["k"] } else { &["k", "j"] }, rank))
        }
    )* };
}
systems! {
    solve, "The X of A·X = B.";
    triangular_solve, "The X of A·X = B, of which the lower triangle of A is read, or the [`upper`](Factors::upper).";
    lstsq, "The shortest X with the least ‖A·X − B‖.";
}
