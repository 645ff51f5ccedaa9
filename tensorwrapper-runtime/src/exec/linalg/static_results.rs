//! Static results of operations on static matrices: their extents, and how they are built.

use super::operations::{
    Cholesky, Det, Eig, Eigh, Expm, Inv, Lq, Lstsq, Lu, Matpow, Norm, Operation, Pinv, Qr, Rank, Slogdet, Solve, Svd,
};
use super::operations::{System, Trace, TriangularSolve};
use super::results::{Results, sealed};
use crate::tensor::{StaticTensor, Tensor};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::shape::{ConstExtent, Shorter, StaticExtents};
use tensorwrapper_core::storage::SliceMut;
use tensorwrapper_cpu::factorise::stack::{Argument, Call, compute};

/// The extents of a right side for static R×C matrices, which determine those of the solution.
pub trait Right<R, C>: StaticExtents {
    /// The extents of the solution.
    type Solution: StaticExtents;
}
impl<R: ConstExtent, C: ConstExtent> Right<R, C> for (R,) {
    type Solution = (C,);
}
impl<R: ConstExtent, C: ConstExtent, K: ConstExtent> Right<R, C> for (R, K) {
    type Solution = (C, K);
}

/// Static results that correspond to tensors of element types `R`: one, or a tuple. Sealed.
pub trait StaticResults<R: Results>: sealed::Sealed + Sized {
    #[doc(hidden)]
    #[allow(private_interfaces, reason = "nobody else has results")]
    fn computed(call: &Call, arguments: &[Argument<'_>]) -> Option<Self>;
    #[doc(hidden)]
    fn settled(computed: R::Computed) -> Self;
}

fn settle<T: Element, S: StaticExtents>(computed: &Tensor<T>) -> StaticTensor<T, S> {
    StaticTensor::written(|place| place.write_copy_of_slice(computed.as_slice()))
}

impl<T: Element, S: StaticExtents> StaticResults<(T,)> for StaticTensor<T, S> {
    #[allow(private_interfaces, reason = "as above")]
    fn computed(call: &Call, arguments: &[Argument<'_>]) -> Option<Self> {
        let mut made = StaticTensor::zeros();
        let mut results: [SliceMut<'_>; 1] = [T::erase_mut(made.as_mut_slice())];
        compute(call, arguments, &mut results).then_some(made)
    }
    fn settled(computed: Tensor<T>) -> Self {
        settle(&computed)
    }
}

macro_rules! tuples {
    ($($($T:ident $S:ident $n:tt)*;)*) => { $(
        impl<$($T: Element, $S: StaticExtents),*> sealed::Sealed for ($(StaticTensor<$T, $S>,)*) {}
        impl<$($T: Element, $S: StaticExtents),*> StaticResults<($($T,)*)> for ($(StaticTensor<$T, $S>,)*) {
            #[allow(private_interfaces, reason = "as above")]
            fn computed(call: &Call, arguments: &[Argument<'_>]) -> Option<Self> {
                let mut made = ($(StaticTensor::<$T, $S>::zeros(),)*);
                compute(call, arguments, &mut [$($T::erase_mut(made.$n.as_mut_slice())),*]).then_some(made)
            }
            fn settled(computed: ($(Tensor<$T>,)*)) -> Self {
                ($(settle(&computed.$n),)*)
            }
        }
    )* };
}
tuples! {
    A R 0 B S 1;
    A R 0 B S 1 C U 2;
}

/// An operation that static R×C matrices support, and its results.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an operation on matrices of these extents",
    label = "needs a square matrix"
)]
pub trait OfStatic<T: Element, R, C>: Operation<T> {
    /// One result, or a tuple.
    type Made: StaticResults<Self::Results>;
}

/// A system of equations that static R×C matrices support.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an operation on matrices of these extents",
    label = "needs a square matrix"
)]
pub trait OfStatics<T: Element, R, C>: System<T> {}
impl<T: Element, N: ConstExtent> OfStatics<T, N, N> for Solve {}
impl<T: Element, N: ConstExtent> OfStatics<T, N, N> for TriangularSolve {}
impl<T: Element, R: ConstExtent, C: ConstExtent> OfStatics<T, R, C> for Lstsq {}

/// An operation with a tolerance that does not change extents. Sealed.
pub trait Tolerates: sealed::Sealed {}
impl Tolerates for Pinv {}
impl Tolerates for Rank {}
impl Tolerates for Lstsq {}

/// The shorter side.
type Least<R, C> = <R as Shorter<C>>::Extent;

macro_rules! square {
    ($($F:ident: $Made:ty;)*) => { $(
        impl<T: Element, N: ConstExtent> OfStatic<T, N, N> for $F {
            type Made = $Made;
        }
    )* };
}
square! {
    Cholesky: StaticTensor<T, (N, N)>;
    Eigh: (StaticTensor<T::Real, (N,)>, StaticTensor<T, (N, N)>);
    Eig: (StaticTensor<T::Complex, (N,)>, StaticTensor<T::Complex, (N, N)>);
    Inv: StaticTensor<T, (N, N)>;
    Expm: StaticTensor<T, (N, N)>;
    Matpow: StaticTensor<T, (N, N)>;
    Det: StaticTensor<T, ()>;
    Slogdet: (StaticTensor<T, ()>, StaticTensor<T::Real, ()>);
    Trace: StaticTensor<T, ()>;
}
macro_rules! oblong {
    ($($F:ident: $Made:ty;)*) => { $(
        impl<T: Element, R: ConstExtent + Shorter<C, Extent: ConstExtent>, C: ConstExtent> OfStatic<T, R, C> for $F {
            type Made = $Made;
        }
    )* };
}
oblong! {
    Qr: (StaticTensor<T, (R, Least<R, C>)>, StaticTensor<T, (Least<R, C>, C)>);
    Lq: (StaticTensor<T, (R, Least<R, C>)>, StaticTensor<T, (Least<R, C>, C)>);
    Svd: (StaticTensor<T, (R, Least<R, C>)>, StaticTensor<T::Real, (Least<R, C>,)>, StaticTensor<T, (Least<R, C>, C)>);
    Lu: (StaticTensor<T, (R, R)>, StaticTensor<T, (R, Least<R, C>)>, StaticTensor<T, (Least<R, C>, C)>);
    Pinv: StaticTensor<T, (C, R)>;
    Norm: StaticTensor<T::Real, ()>;
    Rank: StaticTensor<T::Real, ()>;
}
