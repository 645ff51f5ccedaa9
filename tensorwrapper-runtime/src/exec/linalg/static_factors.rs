//! The functions of `linalg` for static matrices, with static results.
//!
//! The argument's type decides whether a function returns static results ([`Matrices`], [`RightHandSide`]). Operations on
//! static matrices of up to 8 rows and columns are computed by kernels on the stack, without allocation. Operations for which
//! these kernels have no result (`eig`, `expm`, `pinv`, `rank`, `lstsq`, `lu` of matrices that are not square, and matrices
//! without an ordinary result) are recorded and computed like any other, and copied into static results.
//!
//! The operation is a type (`Cholesky`), so that `OfStatic` can name its results' extents, the shorter of two sides included. A
//! generic associated type of `Matrices` maps the argument's type to the function's return type. The types of tensors are
//! listed one by one, because stable Rust cannot express an implementation for "all but static matrices". Options that change
//! extents, and recording, need `StaticFactors::tensors`. All these traits are sealed.

use std::marker::PhantomData;

use super::operations::{Operation, System, TriangularSolve};
use super::results::sealed;
use super::static_results::{OfStatic, OfStatics, Right, StaticResults, Tolerates};
use crate::exec::Context;
use crate::expr::{Expr, Factors, TensorLike};
use crate::tensor::{StaticTensor, Tensor, TensorMut, TensorRef};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::shape::{ConstExtent, Extents, StaticExtents};
use tensorwrapper_cpu::factorise::stack::{Argument, Call, is_short};

/// Arguments of functions with one argument. For a static matrix, which is a [`StaticTensor`] with two axes, results are
/// static. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no tensor that linear algebra takes",
    label = "not a tensor",
    note = "matrices are a `Tensor`, a `StaticTensor`, a view, an `Expr` or a reference to one"
)]
pub trait Matrices: TensorLike<Elem: Element> + sealed::Sealed {
    /// The operation that is not computed yet.
    type Factors<'a, F: Operation<Self::Elem>>
    where
        Self: 'a;
    #[doc(hidden)]
    fn factors<F: Operation<Self::Elem>>(&self, exponent: i32) -> Self::Factors<'_, F>;
}

/// First arguments of functions with two arguments over `T`, of which the second is a `Y`. If both are static, the solution is
/// static. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Y}` is no right side for matrices in a `{Self}`",
    label = "their rows differ, or one is no tensor",
    note = "a static matrix of extents `[n, m]` goes with a static right side `[n]` or `[n, k]`, or with a tensor"
)]
pub trait RightHandSide<T: Element, Y>: sealed::Sealed {
    /// The operation that is not computed yet.
    type Factors<'a, F: System<T>>
    where
        Self: 'a,
        Y: 'a;
    #[doc(hidden)]
    fn factors<'a, F: System<T>>(&'a self, right: &'a Y) -> Self::Factors<'a, F>;
}

/// Tensors whose results are tensors.
macro_rules! tensors {
    ($(($($P:tt)*) $X:ty;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<T: Element, $($P)*> Matrices for $X {
            type Factors<'a, F: Operation<T>> = Factors<'a, T, F::Results> where Self: 'a;
            fn factors<F: Operation<T>>(&self, exponent: i32) -> Factors<'_, T, F::Results> {
                F::of(self, exponent)
            }
        }
        #[diagnostic::do_not_recommend]
        impl<T: Element, Y: TensorLike<Elem = T>, $($P)*> RightHandSide<T, Y> for $X {
            type Factors<'a, F: System<T>> = Factors<'a, T, (T,)> where Self: 'a, Y: 'a;
            fn factors<'a, F: System<T>>(&'a self, right: &'a Y) -> Factors<'a, T, (T,)> {
                F::of(self, right)
            }
        }
    )* };
}
tensors! {
    (S: Extents) Tensor<T, S>;
    (S: Extents) TensorRef<'_, T, S>;
    (S: Extents) TensorMut<'_, T, S>;
    (S: Extents) Expr<'_, T, S>;
    () StaticTensor<T, ()>;
    (A: ConstExtent) StaticTensor<T, (A,)>;
}
tensors! {
    (S: Extents) crate::exec::DeviceTensor<T, S>;
}

/// Static tensors of so many axes are batches.
macro_rules! batches {
    ($(($($E:ident)*))*) => { tensors! { $(($($E: ConstExtent),*) StaticTensor<T, ($($E,)*)>;)* } };
}
batches! {
    (G H I)
    (G H I J)
    (G H I J K)
    (G H I J K L)
    (G H I J K L M)
    (G H I J K L M N)
}

/// Nobody else has such tensors.
macro_rules! seal {
    ($($X:ty),*) => { $(
        impl<T: Element, S: Extents> sealed::Sealed for $X {}
    )* };
}
seal!(Tensor<T, S>, TensorRef<'_, T, S>, TensorMut<'_, T, S>, Expr<'_, T, S>);
seal!(crate::exec::DeviceTensor<T, S>);
impl<T: Element, S: StaticExtents> sealed::Sealed for StaticTensor<T, S> {}
impl<X: sealed::Sealed> sealed::Sealed for &X {}
impl<X: sealed::Sealed> sealed::Sealed for &mut X {}

/// References are what they refer to.
macro_rules! references {
    ($($X:ty),*) => { $(
        #[diagnostic::do_not_recommend]
        impl<'r, X: Matrices> Matrices for $X {
            type Factors<'a, F: Operation<X::Elem>> = X::Factors<'a, F> where Self: 'a;
            fn factors<F: Operation<X::Elem>>(&self, exponent: i32) -> X::Factors<'_, F> {
                X::factors(self, exponent)
            }
        }
        #[diagnostic::do_not_recommend]
        impl<'r, T: Element, Y, X: RightHandSide<T, Y>> RightHandSide<T, Y> for $X {
            type Factors<'a, F: System<T>> = X::Factors<'a, F> where Self: 'a, Y: 'a;
            fn factors<'a, F: System<T>>(&'a self, right: &'a Y) -> X::Factors<'a, F> {
                X::factors(self, right)
            }
        }
        #[diagnostic::do_not_recommend]
        impl<'r, T: Element, R: ConstExtent, C: ConstExtent, X> RightHandSide<T, $X> for StaticTensor<T, (R, C)>
        where
            StaticTensor<T, (R, C)>: RightHandSide<T, X>,
        {
            type Factors<'a, F: System<T>> = <Self as RightHandSide<T, X>>::Factors<'a, F> where Self: 'a, $X: 'a;
            fn factors<'a, F: System<T>>(&'a self, right: &'a $X) -> <Self as RightHandSide<T, X>>::Factors<'a, F> {
                <Self as RightHandSide<T, X>>::factors(self, right)
            }
        }
    )* };
}
references!(&'r X, &'r mut X);

/// Right sides of a static matrix that make tensors.
macro_rules! mixed {
    ($(($($P:lifetime)?) $Y:ty;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($P,)? T: Element, R: ConstExtent, C: ConstExtent, S: Extents> RightHandSide<T, $Y> for StaticTensor<T, (R, C)> {
            type Factors<'a, F: System<T>> = Factors<'a, T, (T,)> where Self: 'a, $Y: 'a;
            fn factors<'a, F: System<T>>(&'a self, right: &'a $Y) -> Factors<'a, T, (T,)> {
                F::of(self, right)
            }
        }
    )* };
}
mixed! {
    () Tensor<T, S>;
    ('r) TensorRef<'r, T, S>;
    ('r) TensorMut<'r, T, S>;
    ('r) Expr<'r, T, S>;
}
mixed! {
    () crate::exec::DeviceTensor<T, S>;
}

#[diagnostic::do_not_recommend]
impl<T: Element, R: ConstExtent, C: ConstExtent> Matrices for StaticTensor<T, (R, C)> {
    type Factors<'a, F: Operation<T>> = StaticFactors<'a, T, R, C, F>;
    fn factors<F: Operation<T>>(&self, exponent: i32) -> StaticFactors<'_, T, R, C, F> {
        StaticFactors { a: self, exponent, tol: None, operation: PhantomData }
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, R: ConstExtent, C: ConstExtent, B: Right<R, C>> RightHandSide<T, StaticTensor<T, B>>
    for StaticTensor<T, (R, C)>
{
    type Factors<'a, F: System<T>> = StaticSystem<'a, T, R, C, B, B::Solution, F>;
    fn factors<'a, F: System<T>>(&'a self, right: &'a StaticTensor<T, B>) -> StaticSystem<'a, T, R, C, B, B::Solution, F> {
        StaticSystem { a: self, right, upper: false, unit: false, tol: None, operation: PhantomData }
    }
}

/// An operation on a static matrix that is not computed yet. Functions of [`linalg`](crate::linalg) return it.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{Shape, StaticTensor, linalg};
/// let a = StaticTensor::new([[4.0, 2.0], [2.0, 5.0]]);
/// let l: StaticTensor<f64, Shape![2, 2]> = linalg::cholesky(&a).eval()?;
/// assert_eq!(l.as_slice(), [2.0, 0.0, 1.0, 2.0]);
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "nothing is computed before `eval`"]
pub struct StaticFactors<'a, T: Element, R: ConstExtent, C: ConstExtent, F> {
    a: &'a StaticTensor<T, (R, C)>,
    exponent: i32,
    tol: Option<f64>,
    operation: PhantomData<fn() -> F>,
}

impl<'a, T: Element, R: ConstExtent, C: ConstExtent, F: Operation<T>> StaticFactors<'a, T, R, C, F> {
    /// Computes the results.
    ///
    /// # Errors
    /// A matrix that the operation does not accept, or an iteration that does not converge.
    pub fn eval(&self) -> Result<F::Made, Error>
    where
        F: OfStatic<T, R, C>,
    {
        let call = Call { kind: F::KIND, full: false, upper: false, unit: false, exponent: self.exponent };
        let is_short = self.tol.is_none() && const { is_short(1, R::LEN * C::LEN) };
        match is_short.then(|| F::Made::computed(&call, &[argument(self.a.as_slice(), R::LEN, C::LEN)])).flatten() {
            Some(made) => Ok(made),
            None => self.eval_in(Context::global()),
        }
    }

    /// The same in a context, with the algorithms for tensors, which allocate memory. Results may differ from those of
    /// [`eval`](StaticFactors::eval) in their last bits.
    ///
    /// # Errors
    /// As [`eval`](StaticFactors::eval), and memory.
    pub fn eval_in(&self, context: &Context) -> Result<F::Made, Error>
    where
        F: OfStatic<T, R, C>,
    {
        self.tensors().eval_in(context).map(F::Made::settled)
    }

    /// Ignores singular values that are at most `tol` times the largest one. For [`pinv`](super::pinv) and
    /// [`rank`](super::rank).
    pub fn tol(self, tol: f64) -> Self
    where
        F: Tolerates,
    {
        StaticFactors { tol: Some(tol), ..self }
    }

    /// The operation with tensors as results. It has all options, including those that change extents, which are not available
    /// here.
    pub fn tensors(&self) -> Factors<'a, T, F::Results> {
        let factors = F::of(self.a, self.exponent);
        match self.tol {
            Some(tol) => factors.tol(tol),
            None => factors,
        }
    }
}

/// A system of equations of static tensors that is not solved yet, with right sides of shape `B` and solutions of shape `X`. Functions of
/// [`linalg`](crate::linalg) return it.
#[derive(Debug)]
#[must_use = "nothing is computed before `eval`"]
// The solution's shape is a parameter, and no bound on the methods, so that a right side that does not fit is one error.
pub struct StaticSystem<'a, T: Element, R: ConstExtent, C: ConstExtent, B: StaticExtents, X: StaticExtents, F> {
    a: &'a StaticTensor<T, (R, C)>,
    right: &'a StaticTensor<T, B>,
    upper: bool,
    unit: bool,
    tol: Option<f64>,
    operation: PhantomData<fn() -> (F, X)>,
}

impl<'a, T, R, C, B, X, F> StaticSystem<'a, T, R, C, B, X, F>
where
    T: Element,
    R: ConstExtent,
    C: ConstExtent,
    B: StaticExtents,
    X: StaticExtents,
    F: System<T>,
{
    /// A right side with one axis is one column.
    const COLUMNS: usize = if let [_, columns] = B::EXTENTS { *columns } else { 1 };

    /// Computes the solution.
    ///
    /// # Errors
    /// A matrix that is not as the operation needs it.
    pub fn eval(&self) -> Result<StaticTensor<T, X>, Error>
    where
        F: OfStatics<T, R, C>,
    {
        let call = Call { kind: F::KIND, full: false, upper: self.upper, unit: self.unit, exponent: 1 };
        let arguments = [argument(self.a.as_slice(), R::LEN, C::LEN), argument(self.right.as_slice(), R::LEN, Self::COLUMNS)];
        let is_short = self.tol.is_none() && const { is_short(1, R::LEN * C::LEN) && is_short(1, R::LEN * Self::COLUMNS) };
        match is_short.then(|| <StaticTensor<T, X> as StaticResults<(T,)>>::computed(&call, &arguments)).flatten() {
            Some(solution) => Ok(solution),
            None => self.eval_in(Context::global()),
        }
    }

    /// The same in a context, with the algorithms for tensors, which allocate memory. The solution may differ from that of
    /// [`eval`](StaticSystem::eval) in its last bits.
    ///
    /// # Errors
    /// As [`eval`](StaticSystem::eval), and memory.
    pub fn eval_in(&self, context: &Context) -> Result<StaticTensor<T, X>, Error>
    where
        F: OfStatics<T, R, C>,
    {
        self.tensors().eval_in(context).map(<StaticTensor<T, X> as StaticResults<(T,)>>::settled)
    }

    /// Ignores singular values that are at most `tol` times the largest one. For [`lstsq`](super::lstsq).
    pub fn tol(self, tol: f64) -> Self
    where
        F: Tolerates,
    {
        StaticSystem { tol: Some(tol), ..self }
    }

    /// The system with a tensor as its solution. It has all options.
    pub fn tensors(&self) -> Factors<'a, T, (T,)> {
        let mut factors = F::of(self.a, self.right);
        if self.upper {
            factors = factors.upper();
        }
        if self.unit {
            factors = factors.unit();
        }
        match self.tol {
            Some(tol) => factors.tol(tol),
            None => factors,
        }
    }
}

impl<T, R, C, B, X> StaticSystem<'_, T, R, C, B, X, TriangularSolve>
where
    T: Element,
    R: ConstExtent,
    C: ConstExtent,
    B: StaticExtents,
    X: StaticExtents,
{
    /// Reads the upper triangle instead of the lower one.
    pub fn upper(self) -> Self {
        StaticSystem { upper: true, ..self }
    }

    /// Takes ones as the diagonal, which is not read.
    pub fn unit(self) -> Self {
        StaticSystem { unit: true, ..self }
    }
}

fn argument<T: Element>(data: &[T], rows: usize, columns: usize) -> Argument<'_> {
    Argument { data: T::erase(data), items: 1, rows, columns }
}
