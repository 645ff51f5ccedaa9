//! Linear algebra over static tensors: the results of an operation on small matrices, without an allocation.
//!
//! The kernels are functions of the library that take slices (`factorise/stack.rs` of `tensorwrapper-cpu`), so that an equation
//! costs the compiler no more than the code around the call. If the kernels have no result, the equation is recorded and
//! computed like any other, and the resulting tensors are copied into static ones. Long batches and large matrices, which the
//! compiler knows by their extents, are recorded at once: they would fill the stack, and recorded operations can use threads
//! and kernels for eight matrices at a time.
//!
//! Results are static only if the whole operation is one equation: a block with `let` is recorded.

use std::marker::PhantomData;

use tensorwrapper_notation::syntax::Factorisation;

use super::RecordInstead;
use super::functions::Exponent;
use super::indices::{ElementFrom, ExtentSource, IndexList, Indices, LabelLoops};
use super::node::{Loops, Node};
use super::product::values;
use super::target::{ToNumber, scatter};
use crate::tensor::{StaticTensor, Tensor};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
pub use tensorwrapper_core::internal::expansion::FromRecorded;
use tensorwrapper_core::shape::{ConstExtent, Extents, Shorter, StaticExtents};
use tensorwrapper_core::storage::SliceMut;
use tensorwrapper_cpu::factorise::stack::{Argument, Call, compute, is_short};

/// An equation of `L` labels whose right side is an operation of linear algebra. `E` determines the element type,
/// `F` is the operation, `A` its arguments, and `R` its results.
#[derive(Debug)]
pub struct StaticFactorisation<const L: usize, E, F, A, R, O>(O, PhantomData<(E, F, A, R)>);

/// Gives an operation its operands.
pub fn factorisation<const L: usize, E, F, A, R, O>(operands: O) -> StaticFactorisation<L, E, F, A, R, O> {
    StaticFactorisation(operands, PhantomData)
}

impl<const L: usize, E, F, A, R, O> RecordInstead for StaticFactorisation<L, E, F, A, R, O> {}

/// An operation whose operands are static.
pub trait Attempt {
    /// The value of the macro.
    type Outcome;
    /// Computes the results; `None` if the matrices are too large or have no ordinary result.
    fn attempt(&self) -> Option<Self::Outcome>;
}
impl<const L: usize, E, F, A, R, O> Attempt for StaticFactorisation<L, E, F, A, R, O>
where
    E: ElementFrom<O>,
    F: LinearCall<O>,
    A: Arguments<E::Elem, O>,
    R: Results<E::Elem, O>,
{
    type Outcome = R::Values;
    #[inline(always)]
    fn attempt(&self) -> Option<Self::Outcome> {
        (const { CallStrategy::<L, F, A, R, O, E::Elem>::CHOSEN })(&self.0)
    }
}

/// Chooses how an operation is tried. The functions are constants, so that a function that is not chosen takes no stack at any
/// optimisation level.
struct CallStrategy<const L: usize, F, A, R, O, T>(PhantomData<(F, A, R, O, T)>);

/// Makes the results from the operands, or nothing if the operation is to be recorded.
type Try<O, V> = fn(&O) -> Option<V>;

impl<const L: usize, F: LinearCall<O>, A: Arguments<T, O>, R: Results<T, O>, O, T: Element> CallStrategy<L, F, A, R, O, T> {
    const CHOSEN: Try<O, R::Values> = if A::ARE_SHORT && R::ARE_SHORT { Self::at_once } else { Self::recorded };

    #[inline(always)]
    fn at_once(operands: &O) -> Option<R::Values> {
        let call = F::call(operands);
        R::made::<L>(operands, |results| A::fit(operands) && A::give::<L>(operands, &mut |a| compute(&call, a, results)))
    }

    #[inline(always)]
    fn recorded(_: &O) -> Option<R::Values> {
        None
    }
}

impl<const L: usize, E, F, A, R, O> StaticFactorisation<L, E, F, A, R, O>
where
    Self: Attempt,
{
    /// The operation is tried at once.
    #[inline(always)]
    pub fn __choose(self) -> Attempted<<Self as Attempt>::Outcome> {
        Attempted(self.attempt())
    }
}

/// The results of an operation, or nothing if it is to be recorded.
#[derive(Debug)]
pub struct Attempted<V>(Option<V>);

impl<V> Attempted<V> {
    /// Whether the equation must be recorded.
    #[inline(always)]
    pub fn records(&self) -> bool {
        self.0.is_none()
    }

    /// The results, computed here or recorded.
    ///
    /// # Errors
    /// The recording's.
    #[inline(always)]
    pub fn take<R>(self, recorded: Option<Result<R, Error>>) -> Result<V, Error>
    where
        V: FromRecorded<R>,
    {
        match recorded {
            Some(recorded) => recorded.map(V::from_recorded),
            None => Ok(self.0.unwrap_or_else(|| unreachable!("the equation was to be recorded"))),
        }
    }

    /// The same.
    ///
    /// # Errors
    /// The recording's.
    #[inline(always)]
    pub fn try_take<R>(self, recorded: Option<Result<R, Error>>) -> Result<V, Error>
    where
        V: FromRecorded<R>,
    {
        self.take(recorded)
    }
}

impl<T: Element, S: StaticExtents, X: Extents> FromRecorded<Tensor<T, X>> for StaticTensor<T, S> {
    fn from_recorded(recorded: Tensor<T, X>) -> Self {
        StaticTensor::written(|place| place.write_copy_of_slice(recorded.as_slice()))
    }
}

/// Operation number `KIND` of the table [`Factorisation::ALL`]. `WORDS` has its options as bits: [`FULL`], [`UPPER`] and
/// [`UNIT`].
#[derive(Debug)]
pub struct LinearOperation<const KIND: usize, const WORDS: u8, X>(PhantomData<X>);

/// The option for square factors.
pub const FULL: u8 = 1;
/// The option to read the upper triangle.
pub const UPPER: u8 = 2;
/// The option to take ones as the diagonal.
pub const UNIT: u8 = 4;

/// An operation.
pub trait LinearCall<O> {
    #[doc(hidden)]
    #[allow(private_interfaces, reason = "nobody else has operations")]
    fn call(operands: &O) -> Call;
}
impl<O, X: Exponent<i32, O>, const KIND: usize, const WORDS: u8> LinearCall<O> for LinearOperation<KIND, WORDS, X> {
    #[inline(always)]
    #[allow(private_interfaces, reason = "as above")]
    fn call(operands: &O) -> Call {
        let has = |word: u8| WORDS & word != 0;
        let kind = const { Factorisation::ALL[KIND] };
        Call { kind, full: has(FULL), upper: has(UPPER), unit: has(UNIT), exponent: X::exponent(operands) }
    }
}

/// Matrices: the labels of their elements, of which the first `BATCH` are those of the batch and the next `ROWS` those of rows,
/// and their elements.
#[derive(Debug)]
pub struct Matrix<G, const BATCH: usize, const ROWS: usize, V>(PhantomData<(G, V)>);

impl<G, const BATCH: usize, const ROWS: usize, V> Matrix<G, BATCH, ROWS, V> {
    /// Whether so many are tried at once.
    const fn are_short<O>() -> bool
    where
        G: LabelLoops<O>,
    {
        let (batch, _) = <<G::Loops as Loops>::Shape as StaticExtents>::EXTENTS.split_at(BATCH);
        is_short(product(batch), product(<<G::Loops as Loops>::Shape as StaticExtents>::EXTENTS))
    }

    /// Their elements with the numbers of matrices, rows and columns.
    #[inline(always)]
    fn argument<'n, T: Element, O>(nested: &'n <<G::Loops as Loops>::Shape as StaticExtents>::Nested<T>) -> Argument<'n>
    where
        G: LabelLoops<O>,
    {
        let (items, matrix) = <<G::Loops as Loops>::Shape as StaticExtents>::EXTENTS.split_at(BATCH);
        let (rows, columns) = matrix.split_at(ROWS);
        let data = T::erase(<<G::Loops as Loops>::Shape as StaticExtents>::slice(nested));
        let [items, rows, columns] = [items, rows, columns].map(|extents| extents.iter().product());
        Argument { data, items, rows, columns }
    }
}

/// Elements of a tensor of these extents.
const fn product(mut extents: &[usize]) -> usize {
    let mut product = 1_usize;
    while let [extent, rest @ ..] = extents {
        product = product.saturating_mul(*extent);
        extents = rest;
    }
    product
}

/// The arguments of an operation.
pub trait Arguments<T: Element, O> {
    #[doc(hidden)]
    const ARE_SHORT: bool;
    /// Whether they can be computed without an error; see [`Node::fits`].
    fn fit(operands: &O) -> bool;
    #[doc(hidden)]
    #[allow(private_interfaces, reason = "nobody else has arguments")]
    fn give<const L: usize>(operands: &O, take: &mut dyn FnMut(&[Argument<'_>]) -> bool) -> bool;
}
impl<T: Element, O, G: LabelLoops<O>, V: Node<T, O>, const B: usize, const ROWS: usize> Arguments<T, O>
    for (Matrix<G, B, ROWS, V>,)
{
    const ARE_SHORT: bool = Matrix::<G, B, ROWS, V>::are_short::<O>();
    #[inline(always)]
    fn fit(operands: &O) -> bool {
        V::fits(operands)
    }
    #[inline(always)]
    #[allow(private_interfaces, reason = "as above")]
    fn give<const L: usize>(operands: &O, take: &mut dyn FnMut(&[Argument<'_>]) -> bool) -> bool {
        let nested = values::<T, O, G::Loops, V, L>(operands);
        take(&[Matrix::<G, B, ROWS, V>::argument::<T, O>(&nested)])
    }
}
impl<
    T: Element,
    O,
    G: LabelLoops<O>,
    V: Node<T, O>,
    H: LabelLoops<O>,
    W: Node<T, O>,
    const B: usize,
    const M: usize,
    const N: usize,
> Arguments<T, O> for (Matrix<G, B, M, V>, Matrix<H, B, N, W>)
{
    const ARE_SHORT: bool = Matrix::<G, B, M, V>::are_short::<O>() && Matrix::<H, B, N, W>::are_short::<O>();
    #[inline(always)]
    fn fit(operands: &O) -> bool {
        V::fits(operands) && W::fits(operands)
    }
    #[inline(always)]
    #[allow(private_interfaces, reason = "as above")]
    fn give<const L: usize>(operands: &O, take: &mut dyn FnMut(&[Argument<'_>]) -> bool) -> bool {
        let (first, second) = (values::<T, O, G::Loops, V, L>(operands), values::<T, O, H::Loops, W, L>(operands));
        take(&[Matrix::<G, B, M, V>::argument::<T, O>(&first), Matrix::<H, B, N, W>::argument::<T, O>(&second)])
    }
}

/// The element type of a result, from that of the arguments.
pub trait ElementsOf<T: Element> {
    /// The type.
    type Elem: Element;
}
macro_rules! elements {
    ($($Name:ident: $Elem:ty;)*) => { $(
        #[allow(missing_docs)]
        #[derive(Debug)]
        pub struct $Name;
        impl<T: Element> ElementsOf<T> for $Name {
            type Elem = $Elem;
        }
    )* };
}
elements! {
    SameElements: T;
    RealElements: T::Real;
    ComplexElements: T::Complex;
}

/// A result: its element type `E`, its labels in the order in which it is computed `C`, and its target `G`.
#[derive(Debug)]
pub struct LinearResult<E, C, G>(PhantomData<(E, C, G)>);

/// The target of a result that becomes a tensor: the index of each axis, and the source of its extent.
#[derive(Debug)]
pub struct ToAxes<I, E>(PhantomData<(I, E)>);

/// The target of a result whose values are in the order of the labels `C`.
pub trait ResultTarget<T: Element, O, C: Loops> {
    /// The value.
    type Value;
    /// Makes it.
    fn from_values<const L: usize>(operands: &O, values: &<C::Shape as StaticExtents>::Nested<T>) -> Self::Value;
}
impl<T: Element, O, C: Loops> ResultTarget<T, O, C> for ToNumber {
    type Value = T;
    #[inline(always)]
    fn from_values<const L: usize>(_: &O, values: &<C::Shape as StaticExtents>::Nested<T>) -> T {
        C::Shape::slice(values).first().copied().unwrap_or(T::ZERO)
    }
}
impl<T: Element, O, C: Loops, I: IndexList<O>, E: LabelLoops<O>> ResultTarget<T, O, C> for ToAxes<I, E>
where
    I::Resolved: Indices<<E::Loops as Loops>::Shape>,
{
    type Value = StaticTensor<T, <E::Loops as Loops>::Shape>;
    #[inline(always)]
    fn from_values<const L: usize>(operands: &O, values: &<C::Shape as StaticExtents>::Nested<T>) -> Self::Value {
        let mut tensor = StaticTensor::zeros();
        scatter::<T, C, _, _, L>(values, &I::resolve(operands), &mut tensor);
        tensor
    }
}

/// The results of an operation.
pub trait Results<T: Element, O> {
    /// One value, or a tuple.
    type Values;
    #[doc(hidden)]
    const ARE_SHORT: bool;
    #[doc(hidden)]
    fn made<const L: usize>(operands: &O, fill: impl FnOnce(&mut [SliceMut<'_>]) -> bool) -> Option<Self::Values>;
}

/// Elements of a result.
type ElemOf<E, T> = <E as ElementsOf<T>>::Elem;

macro_rules! results {
    ($Values:ty, $values:ident => $value:expr; $($E:ident $C:ident $G:ident $name:ident),*) => {
        impl<T: Element, O, $($E: ElementsOf<T>, $C: LabelLoops<O>, $G: ResultTarget<ElemOf<$E, T>, O, $C::Loops>),*> Results<T, O>
            for ($(LinearResult<$E, $C, $G>,)*)
        {
            type Values = $Values;
            const ARE_SHORT: bool = $(is_short(1, product(<<$C::Loops as Loops>::Shape as StaticExtents>::EXTENTS)))&&*;
            #[inline(always)]
            fn made<const L: usize>(operands: &O, fill: impl FnOnce(&mut [SliceMut<'_>]) -> bool) -> Option<Self::Values> {
                $(let mut $name = <<$C::Loops as Loops>::Shape as StaticExtents>::repeat(ElemOf::<$E, T>::ZERO);)*
                let is_made = fill(&mut [
                    $(ElemOf::<$E, T>::erase_mut(<<$C::Loops as Loops>::Shape as StaticExtents>::slice_mut(&mut $name))),*
                ]);
                if !is_made {
                    return None;
                }
                let $values = ($($G::from_values::<L>(operands, &$name),)*);
                Some($value)
            }
        }
    };
}
results!(P::Value, values => values.0; E C P one);
results!((P::Value, Q::Value), values => values; E C P one, F D Q two);
results!((P::Value, Q::Value, R::Value), values => values; E C P one, F D Q two, H K R three);

/// The shorter of two extents.
#[derive(Debug)]
pub struct MinExtent<A, B>(PhantomData<(A, B)>);
impl<O, A: ExtentSource<O>, B: ExtentSource<O>> ExtentSource<O> for MinExtent<A, B>
where
    A::Extent: Shorter<B::Extent, Extent: ConstExtent>,
{
    type Extent = <A::Extent as Shorter<B::Extent>>::Extent;
}
