//! The compile-time checks that expansions of `tensor!` call, so that rustc compares ranks and extents.
//!
//! The message of a check holds the names of the label and of the operands, which only the macro knows. So for each check the macro emits
//! a local trait that has the message, and that is implemented only if both numbers are equal:
//!
//! ```text
//! #[diagnostic::on_unimplemented(message = "index `k` has extent {L} in `A` but {R} in `B`", …)]
//! trait SameExtent<const L: usize, const R: usize> { fn check(_: Compared<L, R>) {} }
//! impl<const L: usize> SameExtent<{ L }, { L }> for k {}
//! <k as SameExtent<_, _>>::check(AxisPair(…, …).__compare());
//! ```
//!
//! This module turns two axes into the two numbers. Everything here is zero-sized and costs nothing at run time. The checks are repeated
//! at run time for extents that the compiler cannot know.
//!
//! Method lookup chooses: if both numbers are known, it finds an inherent method; otherwise it finds the trait method of the same name,
//! which compares 0 with 0. So generic functions over `S: Extents` compile.

use std::marker::PhantomData;

use super::extent::{Const, Dyn, Extent};
use super::extents::{Axis, Extents, Given, StaticRank};
use super::outcome::{Compared, Located};
use super::range::Within;
use super::value::Shape;

/// An extent type as a value without data.
#[derive(Debug)]
pub struct Mark<E>(PhantomData<E>);

impl<E> Clone for Mark<E> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<E> Copy for Mark<E> {}

impl<E> Mark<E> {
    /// The mark of an extent type.
    pub(super) fn of() -> Self {
        Mark(PhantomData)
    }
}

impl<const N: usize> Mark<Const<N>> {
    /// The mark of a constant extent.
    pub fn constant() -> Self {
        Mark(PhantomData)
    }
}

impl Mark<Dyn> {
    /// The mark of a run-time extent.
    pub fn dynamic() -> Self {
        Mark(PhantomData)
    }
}

/// The shape type `S`, before its rank is compared with `GIVEN`, the number of indices.
#[derive(Debug)]
pub struct RankCheck<S, const GIVEN: usize>(PhantomData<S>);

/// How many indices an operand is given, as a value: rustc reads a value's name faster than a number in angle brackets.
#[derive(Debug, Clone, Copy)]
pub struct GivenIndices<const GIVEN: usize>;

/// Starts the rank check of an operand.
pub fn check_rank<S, const GIVEN: usize>(_: PhantomData<S>, _: GivenIndices<GIVEN>) -> RankCheck<S, GIVEN> {
    RankCheck(PhantomData)
}

impl<S: StaticRank, const GIVEN: usize> RankCheck<S, GIVEN> {
    /// The rank is known: compared at compile time.
    pub fn __compare(self) -> S::Ranks<GIVEN> {
        S::ranks()
    }
}

/// At least one of the numbers is not known: compared at run time.
pub trait CompareAtRunTime: Sized {
    #[allow(missing_docs)]
    fn __compare(self) -> Compared<0, 0> {
        Compared
    }
}
impl<S: Extents, const GIVEN: usize> CompareAtRunTime for RankCheck<S, GIVEN> {}
impl<F: Extent, E: Extent> CompareAtRunTime for AxisPair<F, E> {}
impl<D: Extent, F: Extent, E: Extent> CompareAtRunTime for LaterPair<D, F, E> {}

/// Two extents of one label: that of its first axis, and that of the current axis.
#[derive(Debug)]
pub struct AxisPair<F, E>(pub Mark<F>, pub Mark<E>);

impl<const L: usize, const R: usize> AxisPair<Const<L>, Const<R>> {
    /// Both extents are constants: compared at compile time.
    pub fn __compare(self) -> Compared<L, R> {
        Compared
    }
}

/// Three extents of one label: those of its first and second axis, and that of the current axis.
#[derive(Debug)]
pub struct LaterPair<D, F, E>(pub Mark<D>, pub Mark<F>, pub Mark<E>);

impl<const L: usize, const R: usize> LaterPair<Dyn, Const<L>, Const<R>> {
    /// The first extent is not a constant, so the two later ones are compared here. A constant first extent has been compared with both
    /// already.
    pub fn __compare(self) -> Compared<L, R> {
        Compared
    }
}

/// The axes of the shape type `S`, for an operand with `GIVEN` indices.
#[derive(Debug)]
pub struct AxesOf<S, const GIVEN: usize>(PhantomData<S>);

/// Starts the lookup of the extent types of an operand's axes.
pub fn mark_axes<S, const GIVEN: usize>(_: PhantomData<S>, _: GivenIndices<GIVEN>) -> AxesOf<S, GIVEN> {
    AxesOf(PhantomData)
}

/// A shape type of which the first `GIVEN` axes, up to 16, can be marked.
pub trait Marked<const GIVEN: usize> {
    /// A tuple of marks.
    type Marks;
    #[allow(missing_docs)]
    fn marks() -> Self::Marks;
}

macro_rules! marked {
    ($($given:literal: $($I:literal)*;)*) => { $(
        impl<S: $(Axis<$I> +)* Sized> Marked<$given> for S {
            type Marks = ($(Mark<<S as Axis<$I>>::Extent>,)*);
            fn marks() -> Self::Marks {
                ($(Mark::<<S as Axis<$I>>::Extent>::of(),)*)
            }
        }
    )* };
}
marked! {
    1: 0;
    2: 0 1;
    3: 0 1 2;
    4: 0 1 2 3;
    5: 0 1 2 3 4;
    6: 0 1 2 3 4 5;
    7: 0 1 2 3 4 5 6;
    8: 0 1 2 3 4 5 6 7;
    9: 0 1 2 3 4 5 6 7 8;
    10: 0 1 2 3 4 5 6 7 8 9;
    11: 0 1 2 3 4 5 6 7 8 9 10;
    12: 0 1 2 3 4 5 6 7 8 9 10 11;
    13: 0 1 2 3 4 5 6 7 8 9 10 11 12;
    14: 0 1 2 3 4 5 6 7 8 9 10 11 12 13;
    15: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14;
    16: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15;
}

/// Found first: the shape type has the extent types of the axes.
pub trait AxesByType {
    #[allow(missing_docs)]
    type Marks;
    #[allow(missing_docs)]
    fn __axes(self) -> Self::Marks;
}
impl<S, const GIVEN: usize> AxesByType for AxesOf<S, GIVEN>
where
    S: Given<GIVEN, Shape: Marked<GIVEN>>,
{
    type Marks = <S::Shape as Marked<GIVEN>>::Marks;
    fn __axes(self) -> Self::Marks {
        S::Shape::marks()
    }
}

/// Found second, because the shape type is abstract (`S: Extents`): the extents are known at run time.
pub trait AxesByValue {
    #[allow(missing_docs)]
    type Marks;
    #[allow(missing_docs)]
    fn __axes(self) -> Self::Marks;
}
impl<S, const GIVEN: usize> AxesByValue for &AxesOf<S, GIVEN>
where
    Shape: Marked<GIVEN>,
{
    type Marks = <Shape as Marked<GIVEN>>::Marks;
    fn __axes(self) -> Self::Marks {
        Shape::marks()
    }
}

/// The more precise of two extents that agree.
pub fn meet<L: Extent, R: Extent>(_: Mark<L>, _: Mark<R>) -> Mark<L::Meet<R>> {
    Mark(PhantomData)
}

/// The position `I` on an axis of extent `E`.
#[derive(Debug)]
pub struct Position<E, const I: usize>(PhantomData<E>);

impl<E, const I: usize> Position<E, I> {
    /// The position on a marked axis.
    pub fn on(_: Mark<E>) -> Self {
        Position(PhantomData)
    }
}

impl<const N: usize, const I: usize> Position<Const<N>, I>
where
    Const<N>: Within<I>,
{
    /// The extent is known: compared at compile time.
    pub fn __locate(self) -> <Const<N> as Within<I>>::Located {
        <Const<N> as Within<I>>::located()
    }
}

/// The extent is not known, or too large for the compiler's arithmetic: compared at run time.
pub trait LocateAtRunTime: Sized {
    #[allow(missing_docs)]
    fn __locate(self) -> Located<0, true> {
        Located
    }
}
impl<E: Extent, const I: usize> LocateAtRunTime for Position<E, I> {}
