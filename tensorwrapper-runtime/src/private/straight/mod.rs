//! Straight code: an equation over static tensors as a tree of types that computes itself, loop in loop.
//!
//! The macro sees no types, so it emits the tree beside the code that records. Naming the tree asks nothing of the
//! operands. Method lookup chooses: the inherent method of [`Straight`] exists where the whole tree can be computed, and
//! the trait's method of the same name, found second, leaves it to the recording. The recording is where everything is checked,
//! with its sentences; so the tree converts what the checks refuse (other elements, other numbers), and what may fail
//! only when the program runs it leaves to the recording ([`Node::fits`]).

mod factorised;
mod functions;
mod indices;
mod pairs;
mod product;
mod target;

use std::marker::PhantomData;
use std::mem::MaybeUninit;

pub use factorised::*;
use functions::convert;
pub use functions::*;
pub use indices::*;
use product::{Kind, contract, fill, values};
pub use target::*;

use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::shape::{ConstExtent, StaticExtents};

/// An equation of `L` labels over nested pairs of operands: the operand that tells the element type, what becomes of the
/// values, and the value.
#[derive(Debug)]
pub struct Straight<const L: usize, const FIRST: usize, G, V, O>(O, PhantomData<(G, V)>);

/// Gives an equation its operands.
pub fn straight<const L: usize, const FIRST: usize, G, V, O>(operands: O) -> Straight<L, FIRST, G, V, O> {
    Straight(operands, PhantomData)
}

/// An equation that can be computed: its operands are static. One trait, so that lookup ends at the first that is not.
pub trait Form {
    /// The value of the macro, and what is to be written.
    type Outcome;
    /// Computes all values.
    fn compute(&self) -> Self::Outcome;
    /// Whether nothing in it fails.
    fn fits(&self) -> bool;
}
impl<const L: usize, const FIRST: usize, G, V, O> Form for Straight<L, FIRST, G, V, O>
where
    O: Nth<FIRST, Item: Inline>,
    V: Node<<O::Item as Inline>::Elem, O>,
    G: Target<<O::Item as Inline>::Elem, O>,
{
    type Outcome = G::Outcome;
    #[inline(always)]
    fn compute(&self) -> G::Outcome {
        G::compute::<V, L>(&self.0)
    }
    #[inline(always)]
    fn fits(&self) -> bool {
        G::fits(&self.0) && V::fits(&self.0)
    }
}

/// The equation is recorded and computed as any other.
pub trait RecordInstead: Sized {
    #[allow(missing_docs)]
    fn __choose(self) -> Recording {
        Recording
    }
}
impl<const L: usize, const FIRST: usize, G, V, O> RecordInstead for Straight<L, FIRST, G, V, O> {}

impl<const L: usize, const FIRST: usize, G, V, O> Straight<L, FIRST, G, V, O>
where
    Self: Form,
{
    /// The equation is computed by straight code.
    #[inline(always)]
    pub fn __choose(self) -> Computing<Self> {
        Computing(self)
    }
}

/// Where an equation is recorded: its value is that of the recording.
#[derive(Debug)]
pub struct Recording;

impl Recording {
    /// Whether the equation is to be recorded.
    #[inline(always)]
    pub fn records(&self) -> bool {
        true
    }

    /// The recording's value.
    #[inline(always)]
    pub fn take<R>(self, recorded: Option<R>) -> R {
        recorded.unwrap_or_else(|| unreachable!("the equation was to be recorded"))
    }

    /// The recording's value or failure.
    #[inline(always)]
    pub fn try_take<R>(self, recorded: Option<R>) -> R {
        self.take(recorded)
    }
}

/// Where an equation is computed by straight code. It is recorded only to hear what does not fit.
#[derive(Debug)]
pub struct Computing<F>(F);

/// Drops a recording's value, which there never is: what does not fit has panicked.
#[cold]
#[inline(never)]
fn discard<R>(_: R) {}

impl<F: Form> Computing<F> {
    /// Whether the equation is to be recorded, which will refuse it.
    #[inline(always)]
    pub fn records(&self) -> bool {
        !self.0.fits()
    }

    /// The value, where the recording has not panicked.
    #[inline(always)]
    pub fn take<R>(self, recorded: Option<R>) -> F::Outcome {
        // Asked here and not by the glue that drops it, so that the compiler sees that there is nothing to drop.
        if let Some(recorded) = recorded {
            discard(recorded);
        }
        self.0.compute()
    }

    /// The value.
    ///
    /// # Errors
    /// The recording's.
    #[inline(always)]
    pub fn try_take<R>(self, recorded: Option<Result<R, Error>>) -> Result<F::Outcome, Error> {
        match recorded {
            Some(Err(error)) => Err(error),
            Some(Ok(_)) | None => Ok(self.0.compute()),
        }
    }
}

/// A part of a right side over elements of type `T` and operands `O`.
pub trait Node<T: Element, O>: Sized {
    /// What it is, as far as that makes it a part of a product of matrices.
    const FORM: Kind = Kind::Other;
    /// The form of the first sum of products in it.
    const INSIDE: Kind = Kind::Other;
    /// Whether numbers scale the elements in it.
    const IS_SCALED: bool = false;
    /// Its value at indices of all labels.
    fn value<const L: usize>(operands: &O, at: &[usize; L]) -> T;
    /// Its values along one label. Sums add whole rows, which the compiler makes vectors of.
    #[inline(always)]
    fn row<E: ConstExtent, const L: usize>(operands: &O, at: &[usize; L], label: usize) -> E::Array<T> {
        let (mut row, mut at) = (E::repeat(T::ZERO), *at);
        for index in 0..E::LEN {
            at[label] = index;
            *E::get_mut(&mut row, index) = Self::value(operands, &at);
        }
        row
    }
    /// All its values for the indices of a left side, into memory for them.
    #[inline(always)]
    fn write<'p, G: Loops, const L: usize>(operands: &O, place: &'p mut [MaybeUninit<T>]) -> &'p mut [T] {
        fill::<T, O, G, Self, L>(operands, place)
    }
    /// The elements of a factor of a product, from the first that is read.
    #[inline(always)]
    fn factor<const L: usize>(_operands: &O, _number: usize) -> &[T] {
        &[]
    }
    /// The numbers in it, multiplied.
    #[inline(always)]
    fn scale(_operands: &O) -> T {
        T::ONE
    }
    /// Whether nothing in it can fail.
    fn fits(operands: &O) -> bool;
}

/// An element of operand `N`.
#[derive(Debug)]
pub struct Read<const N: usize, I>(PhantomData<I>);
impl<T: Element, O: Nth<N, Item: Inline>, I: Terms<O>, const N: usize> Node<T, O> for Read<N, I>
where
    I::Places: Indices<<O::Item as Inline>::Shape>,
{
    const FORM: Kind = match <O::Item as Inline>::Elem::DTYPE as u8 == T::DTYPE as u8 {
        true => Kind::elements(
            <<O::Item as Inline>::Shape as StaticExtents>::EXTENTS,
            <I::Places as Indices<<O::Item as Inline>::Shape>>::LABELS,
        ),
        // Refused by the checks.
        false => Kind::Other,
    };
    #[inline(always)]
    fn factor<const L: usize>(operands: &O, _: usize) -> &[T] {
        let elements = T::typed(<O::Item as Inline>::Elem::erase(operands.nth().tensor().as_slice()));
        elements.map_or(&[], |elements| &elements[I::places(operands).position(&[0; L])..])
    }
    #[inline(always)]
    fn value<const L: usize>(operands: &O, at: &[usize; L]) -> T {
        convert(*I::places(operands).element(operands.nth().tensor().nested(), at))
    }
    #[inline(always)]
    fn fits(operands: &O) -> bool {
        I::places(operands).fit()
    }
}

/// `-X`
#[derive(Debug)]
pub struct Negate<A>(PhantomData<A>);
impl<T: Element, O, A: Node<T, O>> Node<T, O> for Negate<A> {
    const INSIDE: Kind = A::INSIDE;
    #[inline(always)]
    fn write<'p, G: Loops, const L: usize>(operands: &O, place: &'p mut [MaybeUninit<T>]) -> &'p mut [T] {
        let values = A::write::<G, L>(operands, place);
        values.iter_mut().for_each(|value| *value = -*value);
        values
    }
    #[inline(always)]
    fn value<const L: usize>(operands: &O, at: &[usize; L]) -> T {
        -A::value(operands, at)
    }
    #[inline(always)]
    fn row<E: ConstExtent, const L: usize>(operands: &O, at: &[usize; L], label: usize) -> E::Array<T> {
        let row = A::row::<E, L>(operands, at, label);
        pairwise::<T, E>(row, row, |value, _| -value)
    }
    #[inline(always)]
    fn fits(operands: &O) -> bool {
        A::fits(operands)
    }
}

/// Combines two rows.
#[inline(always)]
fn pairwise<T: Element, E: ConstExtent>(mut left: E::Array<T>, right: E::Array<T>, combine: impl Fn(T, T) -> T) -> E::Array<T> {
    for index in 0..E::LEN {
        let place = E::get_mut(&mut left, index);
        *place = combine(*place, *E::get(&right, index));
    }
    left
}

/// `X + Y` and its like.
#[derive(Debug)]
pub struct Binary<F, A, B>(PhantomData<(F, A, B)>);
impl<T: Element, O, F: Combine, A: Node<T, O>, B: Node<T, O>> Node<T, O> for Binary<F, A, B> {
    const FORM: Kind = if F::IS_PRODUCT { A::FORM.times(B::FORM) } else { Kind::Other };
    const INSIDE: Kind = if Self::FORM.is_sum() { Self::FORM } else { A::INSIDE.or(B::INSIDE) };
    const IS_SCALED: bool = matches!(A::FORM, Kind::Number) || matches!(B::FORM, Kind::Number) || A::IS_SCALED || B::IS_SCALED;
    #[inline(always)]
    fn write<'p, G: Loops, const L: usize>(operands: &O, place: &'p mut [MaybeUninit<T>]) -> &'p mut [T] {
        if const { Self::FORM.is_sum() && Self::FORM.is_called::<G>(T::DTYPE) } {
            return contract::<T, O, G, Self, L>(operands, place);
        }
        let (left, right) = (A::write::<G, L>(operands, place), values::<T, O, G, B, L>(operands));
        let right = <G::Shape as StaticExtents>::slice(&right);
        left.iter_mut().zip(right).for_each(|(left, right)| *left = F::combine(*left, *right));
        left
    }
    #[inline(always)]
    fn factor<const L: usize>(operands: &O, number: usize) -> &[T] {
        let left = const { A::FORM.count() };
        if number < left { A::factor::<L>(operands, number) } else { B::factor::<L>(operands, number - left) }
    }
    #[inline(always)]
    fn scale(operands: &O) -> T {
        A::scale(operands) * B::scale(operands)
    }
    #[inline(always)]
    fn value<const L: usize>(operands: &O, at: &[usize; L]) -> T {
        F::combine(A::value(operands, at), B::value(operands, at))
    }
    #[inline(always)]
    fn row<E: ConstExtent, const L: usize>(operands: &O, at: &[usize; L], label: usize) -> E::Array<T> {
        pairwise::<T, E>(A::row::<E, L>(operands, at, label), B::row::<E, L>(operands, at, label), F::combine)
    }
    #[inline(always)]
    fn fits(operands: &O) -> bool {
        A::fits(operands) && B::fits(operands)
    }
}

/// A reduction over one label.
#[derive(Debug)]
pub struct Fold<F, E, A>(PhantomData<(F, E, A)>);
impl<T: Element, O, F: Reduce, E: Label<O>, A: Node<T, O>> Node<T, O> for Fold<F, E, A> {
    const FORM: Kind = if F::IS_SUM { A::FORM.sum(E::Loop::LABEL, <E::Loop as Loop>::Extent::LEN) } else { Kind::Other };
    const INSIDE: Kind = Self::FORM;
    const IS_SCALED: bool = A::IS_SCALED;
    #[inline(always)]
    fn write<'p, G: Loops, const L: usize>(operands: &O, place: &'p mut [MaybeUninit<T>]) -> &'p mut [T] {
        contract::<T, O, G, Self, L>(operands, place)
    }
    #[inline(always)]
    fn factor<const L: usize>(operands: &O, number: usize) -> &[T] {
        A::factor::<L>(operands, number)
    }
    #[inline(always)]
    fn scale(operands: &O) -> T {
        A::scale(operands)
    }
    #[inline(always)]
    fn value<const L: usize>(operands: &O, at: &[usize; L]) -> T {
        let (mut at, mut folded) = (*at, F::of_nothing());
        for index in 0..<E::Loop as Loop>::Extent::LEN {
            at[E::Loop::LABEL] = index;
            let value = A::value(operands, &at);
            folded = if index == 0 { value } else { F::combine(folded, value) };
        }
        folded
    }
    #[inline(always)]
    fn row<R: ConstExtent, const L: usize>(operands: &O, at: &[usize; L], label: usize) -> R::Array<T> {
        let (mut at, mut folded) = (*at, R::repeat(F::of_nothing()));
        for index in 0..<E::Loop as Loop>::Extent::LEN {
            at[E::Loop::LABEL] = index;
            let row = A::row::<R, L>(operands, &at, label);
            folded = if index == 0 { row } else { pairwise::<T, R>(folded, row, F::combine) };
        }
        folded
    }
    #[inline(always)]
    fn fits(operands: &O) -> bool {
        (!F::IS_EXTREME || <E::Loop as Loop>::Extent::LEN > 0 && !T::DTYPE.is_complex()) && A::fits(operands)
    }
}
