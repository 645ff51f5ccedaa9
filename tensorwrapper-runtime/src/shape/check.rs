//! The compile-time checks: what the expansion of `tensor!` calls so that rustc compares ranks and extents.
//!
//! The sentence of a message holds the label's and the operands' names, which only the macro knows; so the macro
//! emits, per check, a *witness* type with a local trait that carries the sentence, and this module asks whether the
//! witness allows two numbers. Everything here is zero-sized and vanishes from the program; the run time repeats the
//! checks for what the compiler cannot know.
//!
//! Method lookup does the branching: an inherent method exists where both extents are constants, and the trait method
//! of the same name, found second, serves every other case. So generic functions over `S: Extents` compile.

use std::marker::PhantomData;

use super::extent::{Const, Dyn, Extent};
use super::extents::{Axis, Extents, StaticRank};

/// Implemented by a witness where a tensor of rank `RANK` may be given `GIVEN` indices.
pub trait FitsRank<const RANK: usize, const GIVEN: usize> {}

/// Implemented by a tuple whose rank the witness `W` accepts.
pub trait HasRank<const GIVEN: usize, W> {}

/// Implemented by a witness where extents `L` and `R` may stand for one label.
pub trait AgreesWith<const L: usize, const R: usize> {}

/// An extent type as a value without content.
#[derive(Debug)]
pub struct Mark<E>(PhantomData<E>);

impl<E> Clone for Mark<E> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<E> Copy for Mark<E> {}

/// A witness type as a value.
pub fn witness<W>() -> PhantomData<W> {
    PhantomData
}

/// The shape type `S`, about to be given `GIVEN` indices.
#[derive(Debug)]
pub struct RankCheck<S, const GIVEN: usize>(PhantomData<S>);

/// Starts the rank check of an operand.
pub fn check_rank<S, const GIVEN: usize>(_: PhantomData<S>) -> RankCheck<S, GIVEN> {
    RankCheck(PhantomData)
}

impl<S: StaticRank, const GIVEN: usize> RankCheck<S, GIVEN> {
    /// The rank is known: the witness decides.
    pub fn __rank<W>(self, _: PhantomData<W>)
    where
        S: HasRank<GIVEN, W>,
    {
    }
}

/// The rank is not known: the run time checks it.
pub trait RankCheckByValue {
    #[allow(missing_docs)]
    fn __rank<W>(self, witness: PhantomData<W>);
}
impl<S: Extents, const GIVEN: usize> RankCheckByValue for RankCheck<S, GIVEN> {
    fn __rank<W>(self, _: PhantomData<W>) {}
}

/// Axis `I` of the shape type `S`.
#[derive(Debug)]
pub struct AxisOf<S, const I: usize>(PhantomData<S>);

/// Starts the lookup of an axis' extent type.
pub fn mark_axis<S, const I: usize>(_: PhantomData<S>) -> AxisOf<S, I> {
    AxisOf(PhantomData)
}

/// The shape type tells the extent type of the axis.
pub trait AxisByType {
    #[allow(missing_docs)]
    type E: Extent;
    #[allow(missing_docs)]
    fn __axis(self) -> Mark<Self::E>;
}
impl<S: Axis<I>, const I: usize> AxisByType for AxisOf<S, I> {
    type E = S::Extent;
    fn __axis(self) -> Mark<S::Extent> {
        Mark(PhantomData)
    }
}

/// The shape type is abstract (`S: Extents`): the extent is known at run time.
pub trait AxisByValue {
    #[allow(missing_docs)]
    fn __axis(self) -> Mark<Dyn>;
}
impl<S, const I: usize> AxisByValue for &AxisOf<S, I> {
    fn __axis(self) -> Mark<Dyn> {
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

/// The more precise of two extents that agree.
pub fn meet<L: Extent, R: Extent>(_: Mark<L>, _: Mark<R>) -> Mark<L::Meet<R>> {
    Mark(PhantomData)
}

/// Two extents of one label: where it is now, and where it was first.
#[derive(Debug)]
pub struct AxisPair<F, E>(pub Mark<F>, pub Mark<E>);

/// Both extents are constants: the compiler compares.
#[derive(Debug)]
pub struct CheckByType;

/// At least one extent is not: the run time compares.
#[derive(Debug)]
pub struct Checked;

impl<const N: usize, const M: usize> AxisPair<Const<N>, Const<M>> {
    /// Which of the two checks applies.
    pub fn __tag(self) -> CheckByType {
        CheckByType
    }
}

/// Which of the two checks applies, for every other pair.
pub trait CheckAtRunTime {
    #[allow(missing_docs)]
    fn __tag(self) -> Checked;
}
impl<F: Extent, E: Extent> CheckAtRunTime for AxisPair<F, E> {
    fn __tag(self) -> Checked {
        Checked
    }
}

/// A pair that the witness `W` accepts under a tag.
pub trait AgreeBy<W, Tag> {}
impl<const N: usize, const M: usize, W: AgreesWith<M, N>> AgreeBy<W, CheckByType> for AxisPair<Const<N>, Const<M>> {}
impl<F: Extent, E: Extent, W> AgreeBy<W, Checked> for AxisPair<F, E> {}

/// Asks the witness about a pair. Tag, witness, then one pair whose type is settled: rustc then blames the pair.
pub fn check_agreement<Tag, W, P: AgreeBy<W, Tag>>(_: Tag, _: PhantomData<W>, _: P) {}
