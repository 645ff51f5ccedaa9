//! Extents of fused axes: products, quotients and minima of constants, as types.
//!
//! Stable Rust does not multiply constants of types. So the numbers are converted to `typenum`'s types by its own table, which ends at
//! 1024 and does not cover a generic `N`, and back by the table at the end of this file. If one of the tables has no entry, method lookup
//! finds the trait method of the same name, and the check is made at run time. Only this file and `range` use types of `typenum`.

use std::marker::PhantomData;
use std::ops::{Mul, Rem};

use typenum::{B0, B1, Const as Number, IsEqual, Min, PartialDiv, ToUInt, U, U0, UInt, UTerm};

use super::check::Mark;
use super::extent::{Const, Dyn, Extent};
use super::outcome::Divided;
use super::range::Bit;

/// The extent of an axis that two labels share.
#[derive(Debug)]
pub struct Product<A, B>(PhantomData<(A, B)>);

impl<A, B> Product<A, B> {
    /// The product of two marked extents.
    pub fn of(_: Mark<A>, _: Mark<B>) -> Self {
        Product(PhantomData)
    }
}

impl<const A: usize, const B: usize> Product<Const<A>, Const<B>>
where
    Number<A>: ToUInt,
    Number<B>: ToUInt,
    U<A>: Mul<U<B>, Output: Counted>,
{
    /// Both extents are constants, and so is their product.
    pub fn __product(self) -> Mark<<<U<A> as Mul<U<B>>>::Output as Counted>::Extent> {
        Mark::of()
    }
}

/// The product is not known, or is larger than the table.
pub trait ProductAtRunTime: Sized {
    #[allow(missing_docs)]
    fn __product(self) -> Mark<Dyn> {
        Mark::of()
    }
}
impl<A: Extent, B: Extent> ProductAtRunTime for Product<A, B> {}

/// The extent of an axis that is as long as the shorter of two axes.
#[derive(Debug)]
pub struct Minimum<A, B>(PhantomData<(A, B)>);

impl<A, B> Minimum<A, B> {
    /// The smaller of two marked extents.
    pub fn of(_: Mark<A>, _: Mark<B>) -> Self {
        Minimum(PhantomData)
    }
}

impl<const A: usize, const B: usize> Minimum<Const<A>, Const<B>>
where
    Number<A>: ToUInt,
    Number<B>: ToUInt,
    U<A>: Min<U<B>, Output: Counted>,
{
    /// Both extents are constants, and so is the smaller.
    pub fn __minimum(self) -> Mark<<<U<A> as Min<U<B>>>::Output as Counted>::Extent> {
        Mark::of()
    }
}

/// The smaller of two constant extents, if both are in the table.
pub trait Shorter<B> {
    /// The extent.
    type Extent: Extent;
}
impl<const A: usize, const B: usize> Shorter<Const<B>> for Const<A>
where
    Number<A>: ToUInt,
    Number<B>: ToUInt,
    U<A>: Min<U<B>, Output: Counted>,
{
    type Extent = <<U<A> as Min<U<B>>>::Output as Counted>::Extent;
}

/// At least one extent is not known, or is larger than the table.
pub trait MinimumAtRunTime: Sized {
    #[allow(missing_docs)]
    fn __minimum(self) -> Mark<Dyn> {
        Mark::of()
    }
}
impl<A: Extent, B: Extent> MinimumAtRunTime for Minimum<A, B> {}

/// The extent of one label of a fused axis: the axis' extent divided by the extents of the other labels.
#[derive(Debug)]
pub struct Quotient<N, P>(PhantomData<(N, P)>);

impl<N, P> Quotient<N, P> {
    /// The extent of an axis, divided by the product of the other labels' extents.
    pub fn of(_: Mark<N>, _: Mark<P>) -> Self {
        Quotient(PhantomData)
    }
}

impl<const N: usize, const P: usize> Quotient<Const<N>, Const<P>>
where
    Number<N>: ToUInt,
    Number<P>: ToUInt,
    U<N>: PartialDiv<U<P>, Output: Counted>,
{
    /// Both extents are constants, and one divides the other.
    pub fn __quotient(self) -> Mark<<<U<N> as PartialDiv<U<P>>>::Output as Counted>::Extent> {
        Mark::of()
    }
}

/// The quotient is not known, or there is none.
pub trait QuotientAtRunTime: Sized {
    #[allow(missing_docs)]
    fn __quotient(self) -> Mark<Dyn> {
        Mark::of()
    }
}
impl<N: Extent, P: Extent> QuotientAtRunTime for Quotient<N, P> {}

/// A label of a fused axis, the axis, and the product of the other labels, for the check that this product divides the axis.
#[derive(Debug)]
pub struct Division<X, N, P>(PhantomData<(X, N, P)>);

impl<X, N, P> Division<X, N, P> {
    /// The check that the product divides the axis' extent; the quotient is the extent of the label.
    pub fn of(_: Mark<X>, _: Mark<N>, _: Mark<P>) -> Self {
        Division(PhantomData)
    }
}

impl<const N: usize, const P: usize> Division<Dyn, Const<N>, Const<P>>
where
    Number<N>: ToUInt,
    Number<P>: ToUInt,
    U<N>: Rem<U<P>, Output: IsEqual<U0, Output: Bit>>,
{
    /// The extent of the label is not known yet, and the others are constants: divided at compile time.
    #[allow(clippy::type_complexity, reason = "the one place where this is said")]
    pub fn __divide(self) -> <<<U<N> as Rem<U<P>>>::Output as IsEqual<U0>>::Output as Bit>::Divided<P, N> {
        <<<U<N> as Rem<U<P>>>::Output as IsEqual<U0>>::Output as Bit>::divided::<P, N>()
    }
}

/// The extent of the label is known, or another extent is not: no division at compile time.
pub trait DivideAtRunTime: Sized {
    #[allow(missing_docs)]
    fn __divide(self) -> Divided<0, 0, true> {
        Divided
    }
}
impl<X: Extent, N: Extent, P: Extent> DivideAtRunTime for Division<X, N, P> {}

/// `typenum`'s numbers as extents.
pub trait Counted {
    /// The extent.
    type Extent: Extent;
}

impl Counted for UTerm {
    type Extent = Const<0>;
}

/// A number and, for each step that is left, the two numbers of one more binary digit.
macro_rules! table {
    ($Number:ty, $value:expr;) => {
        impl Counted for $Number {
            type Extent = Const<{ $value }>;
        }
    };
    ($Number:ty, $value:expr; $step:ident $($steps:ident)*) => {
        table!($Number, $value;);
        table!(UInt<$Number, B0>, 2 * $value; $($steps)*);
        table!(UInt<$Number, B1>, 2 * $value + 1; $($steps)*);
    };
}
table!(UInt<UTerm, B1>, 1; a b c d e f g h i);

impl Counted for typenum::U1024 {
    type Extent = Const<1024>;
}
