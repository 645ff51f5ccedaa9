//! Straight code: an equation over static tensors as a tree of types that computes itself, loop in loop.
//!
//! The macro sees no types, so it emits the tree beside the closure that records. Building the tree asks nothing of the
//! operands. Method lookup chooses: the inherent methods of [`Straight`] exist where the whole tree can be computed, and
//! the trait's methods of the same names, found second, take the closure. The recording is where everything is checked,
//! with its sentences; so the tree converts what the checks refuse (other elements, other numbers), and what may fail
//! only when the program runs it leaves to the recording ([`Node::fits`]).

mod indices;
mod target;

use num_complex::Complex;
use tensorwrapper_notation::Function;
use tensorwrapper_notation::syntax::{Operator, Reduction};

pub use indices::*;
pub use target::*;

use crate::backend::Reduction as Step;
use crate::backend::function::Scalar;
use crate::element::{Element, dispatch};
use crate::error::Error;
use crate::shape::ConstExtent;
use crate::tensor::StaticTensor;

/// An equation of `L` labels: the operand that tells the element type, what becomes of the values, and the value.
#[derive(Debug)]
pub struct Straight<'a, const L: usize, X, G, V>(pub &'a X, pub G, pub V);

/// The equation is recorded and computed as any other.
pub trait RecordInstead: Sized {
    #[allow(missing_docs)]
    fn __compute<R>(self, record: impl FnOnce() -> R) -> R {
        record()
    }
    #[allow(missing_docs)]
    fn __compute_fitting<R>(self, record: impl FnOnce() -> R) -> R {
        record()
    }
    #[allow(missing_docs)]
    fn __try_compute<R>(self, record: impl FnOnce() -> R) -> R {
        record()
    }
    #[allow(missing_docs)]
    fn __try_compute_fitting<R>(self, record: impl FnOnce() -> R) -> R {
        record()
    }
}
impl<const L: usize, X, G, V> RecordInstead for Straight<'_, L, X, G, V> {}

impl<const L: usize, X: Inline, G: Target<X::Elem>, V: Node<X::Elem>> Straight<'_, L, X, G, V> {
    /// Computes what cannot fail.
    #[inline(always)]
    pub fn __compute<R>(self, _: impl FnOnce() -> R) -> G::Outcome {
        self.1.compute::<L>(&self.2)
    }

    /// Computes, or has the recording panic.
    #[inline(always)]
    pub fn __compute_fitting<R>(self, record: impl FnOnce() -> R) -> G::Outcome {
        if !(self.1.fits() && self.2.fits()) {
            record();
            unreachable!("the recording refuses what does not fit");
        }
        self.1.compute::<L>(&self.2)
    }

    /// Computes what cannot fail.
    ///
    /// # Errors
    /// None.
    #[inline(always)]
    pub fn __try_compute<R>(self, _: impl FnOnce() -> R) -> Result<G::Outcome, Error> {
        Ok(self.1.compute::<L>(&self.2))
    }

    /// Computes, or asks the recording why not.
    ///
    /// # Errors
    /// The recording's.
    #[inline(always)]
    pub fn __try_compute_fitting<R>(self, record: impl FnOnce() -> Result<R, Error>) -> Result<G::Outcome, Error> {
        if !(self.1.fits() && self.2.fits()) {
            return match record() {
                Err(error) => Err(error),
                Ok(_) => unreachable!("the recording refuses what does not fit"),
            };
        }
        Ok(self.1.compute::<L>(&self.2))
    }
}

/// A part of a right side over elements of type `T`.
pub trait Node<T: Element> {
    /// Its value at indices of all labels.
    fn value<const L: usize>(&self, at: &[usize; L]) -> T;
    /// Its values along one label. Sums add whole rows, which the compiler makes vectors of.
    #[inline(always)]
    fn row<E: ConstExtent, const L: usize>(&self, at: &[usize; L], label: usize) -> E::Array<T> {
        let (mut row, mut at) = (E::repeat(T::ZERO), *at);
        for index in 0..E::LEN {
            at[label] = index;
            *E::get_mut(&mut row, index) = self.value(&at);
        }
        row
    }
    /// Whether nothing in it can fail.
    fn fits(&self) -> bool;
}

/// An element of a tensor.
#[derive(Clone, Copy, Debug)]
pub struct Read<'a, X, I>(pub &'a X, pub I);
impl<T: Element, X: Inline, I: Indices<X::Shape>> Node<T> for Read<'_, X, I> {
    #[inline(always)]
    fn value<const L: usize>(&self, at: &[usize; L]) -> T {
        convert(*self.1.element(self.0.tensor().nested(), at))
    }
    #[inline(always)]
    fn fits(&self) -> bool {
        self.1.fit()
    }
}

/// The same number as an element of type `T`. Between equal types the compiler leaves nothing of it.
#[inline(always)]
fn convert<X: Element, T: Element>(value: X) -> T {
    T::from_complex(value.to_complex())
}

/// A number of the program, or a static tensor of rank 0.
pub trait Number {
    /// The number as an element.
    fn number<T: Element>(&self) -> T;
}
impl<X: Element> Number for X {
    #[inline(always)]
    fn number<T: Element>(&self) -> T {
        convert(*self)
    }
}
/// References to numbers, one by one: a blanket implementation would meet the one for elements.
macro_rules! references {
    ($($X:ty),*) => { $(
        impl Number for &$X {
            #[inline(always)]
            fn number<T: Element>(&self) -> T {
                convert(**self)
            }
        }
    )* };
}
references!(f32, f64, Complex<f32>, Complex<f64>);
impl<X: Element> Number for StaticTensor<X, ()> {
    #[inline(always)]
    fn number<T: Element>(&self) -> T {
        convert(*self.nested())
    }
}
impl<X: Element> Number for &StaticTensor<X, ()> {
    #[inline(always)]
    fn number<T: Element>(&self) -> T {
        convert(*self.nested())
    }
}

/// A number that the program gives.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a, X>(pub &'a X);
impl<T: Element, X: Number> Node<T> for Given<'_, X> {
    #[inline(always)]
    fn value<const L: usize>(&self, _: &[usize; L]) -> T {
        self.0.number()
    }
    #[inline(always)]
    fn fits(&self) -> bool {
        true
    }
}

/// A literal.
#[derive(Clone, Copy, Debug)]
pub struct Literal(pub f64);
impl<T: Element> Node<T> for Literal {
    #[inline(always)]
    fn value<const L: usize>(&self, _: &[usize; L]) -> T {
        T::from_complex(Complex::new(self.0, 0.0))
    }
    #[inline(always)]
    fn fits(&self) -> bool {
        true
    }
}

/// `-X`
#[derive(Clone, Copy, Debug)]
pub struct Negate<A>(pub A);
impl<T: Element, A: Node<T>> Node<T> for Negate<A> {
    #[inline(always)]
    fn value<const L: usize>(&self, at: &[usize; L]) -> T {
        -self.0.value(at)
    }
    #[inline(always)]
    fn row<E: ConstExtent, const L: usize>(&self, at: &[usize; L], label: usize) -> E::Array<T> {
        let row = self.0.row::<E, L>(at, label);
        pairwise::<T, E>(row, row, |value, _| -value)
    }
    #[inline(always)]
    fn fits(&self) -> bool {
        self.0.fits()
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
#[derive(Clone, Copy, Debug)]
pub struct Binary<A, B>(pub Operator, pub A, pub B);
impl<A, B> Binary<A, B> {
    #[inline(always)]
    fn combine<T: Element>(&self, left: T, right: T) -> T {
        match self.0 {
            Operator::Add => left + right,
            Operator::Subtract => left - right,
            Operator::Multiply => left * right,
            Operator::Divide => left.quotient(right),
        }
    }
}
impl<T: Element, A: Node<T>, B: Node<T>> Node<T> for Binary<A, B> {
    #[inline(always)]
    fn value<const L: usize>(&self, at: &[usize; L]) -> T {
        self.combine(self.1.value(at), self.2.value(at))
    }
    #[inline(always)]
    fn row<E: ConstExtent, const L: usize>(&self, at: &[usize; L], label: usize) -> E::Array<T> {
        let (left, right) = (self.1.row::<E, L>(at, label), self.2.row::<E, L>(at, label));
        pairwise::<T, E>(left, right, |left, right| self.combine(left, right))
    }
    #[inline(always)]
    fn fits(&self) -> bool {
        self.1.fits() && self.2.fits()
    }
}

/// A reduction over one label.
#[derive(Clone, Copy, Debug)]
pub struct Fold<E, A>(pub Reduction, pub E, pub A);
impl<E: Labelled, A> Fold<E, A> {
    #[inline(always)]
    fn combine<T: Element>(&self, folded: T, value: T) -> T {
        match self.0 {
            Reduction::Sum => folded + value,
            Reduction::Product => folded * value,
            Reduction::Max => Step::Max.combine(folded, value),
            Reduction::Min => Step::Min.combine(folded, value),
        }
    }
    /// The value over nothing. `Max` and `Min` have none, and do not fit.
    #[inline(always)]
    fn of_nothing<T: Element>(&self) -> T {
        match self.0 {
            Reduction::Product => T::ONE,
            Reduction::Sum | Reduction::Max | Reduction::Min => T::ZERO,
        }
    }
}
impl<T: Element, E: Labelled, A: Node<T>> Node<T> for Fold<E, A> {
    #[inline(always)]
    fn value<const L: usize>(&self, at: &[usize; L]) -> T {
        let (mut at, mut folded) = (*at, self.of_nothing());
        for index in 0..E::Extent::LEN {
            at[E::LABEL] = index;
            let value = self.2.value(&at);
            folded = if index == 0 { value } else { self.combine(folded, value) };
        }
        folded
    }
    #[inline(always)]
    fn row<R: ConstExtent, const L: usize>(&self, at: &[usize; L], label: usize) -> R::Array<T> {
        let (mut at, mut folded) = (*at, R::repeat(self.of_nothing()));
        for index in 0..E::Extent::LEN {
            at[E::LABEL] = index;
            let row = self.2.row::<R, L>(&at, label);
            folded = if index == 0 { row } else { pairwise::<T, R>(folded, row, |folded, value| self.combine(folded, value)) };
        }
        folded
    }
    #[inline(always)]
    fn fits(&self) -> bool {
        let defined = match self.0 {
            Reduction::Sum | Reduction::Product => true,
            Reduction::Max | Reduction::Min => E::Extent::LEN > 0 && !T::DTYPE.is_complex(),
        };
        defined && self.2.fits()
    }
}

/// The same number in the type that a table of functions has, and back.
#[inline(always)]
fn same<A: Element, B: Element>(value: A) -> B {
    match B::typed(A::erase(&[value])) {
        Some(&[value]) => value,
        _ => unreachable!("the types are one"),
    }
}

/// A function of each element.
#[derive(Clone, Copy, Debug)]
pub struct Apply<A>(pub Function, pub A);
impl<T: Element, A: Node<T>> Node<T> for Apply<A> {
    #[inline(always)]
    fn value<const L: usize>(&self, at: &[usize; L]) -> T {
        let value = self.1.value(at);
        dispatch!(T::DTYPE, U => {
            let mut values = [same::<T, U>(value)];
            U::apply(self.0, &mut values);
            same::<U, T>(values[0])
        })
    }
    #[inline(always)]
    fn fits(&self) -> bool {
        self.1.fits()
    }
}

/// Each element to a whole power.
#[derive(Clone, Copy, Debug)]
pub struct PowerInteger<A>(pub A, pub i32);
impl<T: Element, A: Node<T>> Node<T> for PowerInteger<A> {
    #[inline(always)]
    fn value<const L: usize>(&self, at: &[usize; L]) -> T {
        let value = self.0.value(at);
        dispatch!(T::DTYPE, U => same::<U, T>(same::<T, U>(value).power_integer(self.1)))
    }
    #[inline(always)]
    fn fits(&self) -> bool {
        self.0.fits()
    }
}

/// Each element to a real power.
#[derive(Clone, Copy, Debug)]
pub struct PowerReal<A>(pub A, pub f64);
impl<T: Element, A: Node<T>> Node<T> for PowerReal<A> {
    #[inline(always)]
    fn value<const L: usize>(&self, at: &[usize; L]) -> T {
        let value = self.0.value(at);
        dispatch!(T::DTYPE, U => same::<U, T>(same::<T, U>(value).power_real(self.1)))
    }
    #[inline(always)]
    fn fits(&self) -> bool {
        self.0.fits()
    }
}
