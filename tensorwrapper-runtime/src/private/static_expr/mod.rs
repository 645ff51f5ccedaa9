//! Represents an equation over static tensors as a tree of types, which computes itself with nested loops.
//!
//! The macro sees no types, so it emits the tree beside the code that records. Naming the tree requires nothing of the
//! operands. Method lookup chooses between the two: the inherent method of [`StaticExpr`] exists if the whole tree can be
//! computed; otherwise the trait's method of the same name is found, which leaves the equation to the recording. The recording
//! has all checks and their messages. So the tree silently converts what those checks refuse (other element types, other
//! numbers), and leaves an equation that fails at run time to the recording ([`Node::fits`]).
//!
//! * Syntax alone says whether an equation has a static form, so the type of a result depends on nothing but syntax and the
//!   operands' types.
//! * Naming the type costs the compiler little where it is not used (0.6 ms of `cargo check` for a product).
//! * A node computes a whole row along the last label of the left side. So sums add rows, and the compiler vectorises them.
//!   Elements are in nested arrays, whose bounds the compiler knows. `.ci/static_expr` finds no call in the assembly.

mod choice;
mod factorise;
mod form;
mod functions;
mod indices;
mod names;
mod node;
mod pairs;
mod product;
mod rows;
mod select;
mod target;

use std::marker::PhantomData;
use std::mem::MaybeUninit;

pub use factorise::*;
use form::ProductForm;
use functions::convert;
pub use functions::*;
pub use indices::*;
pub use names::*;
pub use node::{Loops, Node};
use product::{contract, values};
use rows::pairwise;
pub use select::*;
pub use target::*;

use super::{Ready, unwrap};
use num_complex::Complex;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::shape::{ConstExtent, StaticExtents};

/// An equation of `L` labels over nested pairs of operands `O`: `E` determines the element type from them, `G` is the target of the
/// values, and `V` computes them.
#[derive(Debug)]
pub struct StaticExpr<const L: usize, E, G, V, O>(O, PhantomData<(E, G, V)>);

/// Gives an equation its operands.
pub fn expr<const L: usize, E, G, V, O>(operands: O) -> StaticExpr<L, E, G, V, O> {
    StaticExpr(operands, PhantomData)
}

/// An equation that can be computed, because its operands are static. One trait, so that lookup ends at the first operand that
/// is not static.
pub trait Computable {
    /// The value of the macro, and what is to be written.
    type Outcome;
    /// Computes all values.
    fn compute(&self) -> Self::Outcome;
    /// Whether it can be computed without an error; see [`Node::fits`].
    fn fits(&self) -> bool;
}
impl<const L: usize, E, G, V, O> Computable for StaticExpr<L, E, G, V, O>
where
    E: ElementFrom<O>,
    V: Node<E::Elem, O>,
    G: Target<E::Elem, O>,
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

/// Equations that are recorded and computed like any other.
pub trait RecordInstead: Sized {
    #[allow(missing_docs)]
    fn __choose(self) -> Recording {
        Recording
    }
}
impl<const L: usize, E, G, V, O> RecordInstead for StaticExpr<L, E, G, V, O> {}

impl<const L: usize, E, G, V, O> StaticExpr<L, E, G, V, O>
where
    Self: Computable,
{
    /// The equation is computed by its static form.
    #[inline(always)]
    pub fn __choose(self) -> Computing<Self> {
        Computing(self)
    }
}

/// The choice to record an equation: its value is that of the recording.
#[derive(Debug)]
pub struct Recording;

impl Recording {
    /// Whether the equation is to be recorded.
    #[inline(always)]
    pub fn records(&self) -> bool {
        true
    }

    /// The recording's value or fault.
    ///
    /// # Errors
    /// The recording's.
    #[inline(always)]
    pub fn take<R>(self, recorded: Option<Result<R, Error>>) -> Result<R, Error> {
        recorded.unwrap_or_else(|| unreachable!("the equation was to be recorded"))
    }

    /// The same.
    ///
    /// # Errors
    /// The recording's.
    #[inline(always)]
    pub fn try_take<R>(self, recorded: Option<Result<R, Error>>) -> Result<R, Error> {
        self.take(recorded)
    }
}

/// The choice to compute an equation by its static form. It is recorded only to report the error of an equation that does not
/// fit.
#[derive(Debug)]
pub struct Computing<F>(F);

/// Panics with the fault of a recording, which has one: what is recorded does not fit.
#[cold]
#[inline(never)]
#[track_caller]
fn refuse<R>(recorded: Result<R, Error>) {
    unwrap(recorded);
}

impl<F: Computable> Computing<F> {
    /// Whether the equation must be recorded, which will fail.
    #[inline(always)]
    pub fn records(&self) -> bool {
        !self.0.fits()
    }

    /// The computed value. Panics with the fault of an equation that was recorded.
    ///
    /// # Panics
    /// As the recording of an equation that does not fit.
    #[inline(always)]
    #[track_caller]
    pub fn take<R>(self, recorded: Option<Result<R, Error>>) -> Ready<F::Outcome> {
        // Resolved here and not by the glue that drops it, so that the compiler sees that there is nothing to drop.
        if let Some(recorded) = recorded {
            refuse(recorded);
        }
        Ready(self.0.compute())
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

/// An element of operand `N`.
#[derive(Debug)]
pub struct Read<const N: usize, I>(PhantomData<I>);
impl<T: Element, O: Nth<N, Item: StaticOperand>, I: IndexList<O>, const N: usize> Node<T, O> for Read<N, I>
where
    I::Resolved: Indices<<O::Item as StaticOperand>::Shape>,
{
    const FORM: ProductForm = match <O::Item as StaticOperand>::Elem::DTYPE as u8 == T::DTYPE as u8 {
        true => ProductForm::elements(
            <<O::Item as StaticOperand>::Shape as StaticExtents>::EXTENTS,
            <I::Resolved as Indices<<O::Item as StaticOperand>::Shape>>::LABELS,
        ),
        // Real elements among complex ones; all others are refused by the checks.
        false => ProductForm::Other,
    };
    #[inline(always)]
    fn factor<const L: usize>(operands: &O, _: usize) -> &[T] {
        let elements = T::typed(<O::Item as StaticOperand>::Elem::erase(operands.nth().tensor().as_slice()));
        elements.map_or(&[], |elements| &elements[I::resolve(operands).position(&[0; L])..])
    }
    #[inline(always)]
    fn value<const L: usize>(operands: &O, at: &[usize; L]) -> T {
        convert(*I::resolve(operands).element(operands.nth().tensor().nested(), at))
    }
    #[inline(always)]
    fn fits(operands: &O) -> bool {
        I::resolve(operands).fit()
    }
}

/// `-X`
#[derive(Debug)]
pub struct Negate<A>(PhantomData<A>);
impl<T: Element, O, A: Node<T, O>> Node<T, O> for Negate<A> {
    const INNER_FORM: ProductForm = A::INNER_FORM;
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

/// `X + Y` and the other binary operators.
#[derive(Debug)]
pub struct Binary<F, A, B>(PhantomData<(F, A, B)>);
impl<T: Element, O, F: Combine, A: Node<T, O>, B: Node<T, O>> Node<T, O> for Binary<F, A, B> {
    const FORM: ProductForm = if F::IS_PRODUCT { A::FORM.times(B::FORM) } else { ProductForm::Other };
    const INNER_FORM: ProductForm = if Self::FORM.is_sum() { Self::FORM } else { A::INNER_FORM.or(B::INNER_FORM) };
    const IS_SCALED: bool =
        matches!(A::FORM, ProductForm::Number) || matches!(B::FORM, ProductForm::Number) || A::IS_SCALED || B::IS_SCALED;
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

/// The number of values of a label.
#[derive(Debug)]
pub struct LabelLength<E>(PhantomData<E>);
impl<T: Element, O, E: LabelLoop<O>> Node<T, O> for LabelLength<E> {
    const FORM: ProductForm = ProductForm::Number;
    #[inline(always)]
    fn scale(_: &O) -> T {
        T::from_complex(Complex::new(<E::Loop as Loop>::Extent::LEN as f64, 0.0))
    }
    #[inline(always)]
    fn value<const L: usize>(operands: &O, _: &[usize; L]) -> T {
        <Self as Node<T, O>>::scale(operands)
    }
    #[inline(always)]
    fn fits(_: &O) -> bool {
        true
    }
}

/// A reduction over one label.
#[derive(Debug)]
pub struct ReduceOver<F, E, A>(PhantomData<(F, E, A)>);
impl<T: Element, O, F: Reduce, E: LabelLoop<O>, A: Node<T, O>> Node<T, O> for ReduceOver<F, E, A> {
    const FORM: ProductForm =
        if F::IS_SUM { A::FORM.sum(E::Loop::LABEL, <E::Loop as Loop>::Extent::LEN) } else { ProductForm::Other };
    const INNER_FORM: ProductForm = Self::FORM;
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
