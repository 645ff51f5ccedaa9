//! The types that can be an operand or a scalar of an equation.

use std::marker::PhantomData;
use std::sync::Arc;

use super::form::{Form, InBlocks, Truth, Whole};
use super::integers::rounded;
use super::truth::truth_numbers;
use super::value::{Expr, Source, Value};
use crate::link::Link;
use crate::tensor::{AnyRef, Blocks, BlocksRef, StaticTensor, Tensor, TensorMut, TensorRef};
use tensorwrapper_core::Numeric;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::{Extents, StaticExtents};
use tensorwrapper_core::storage::SliceRef;
use tensorwrapper_core::stored::IntegersRef;

/// Anything that `tensor!` can index: tensors, views, block tensors, recorded results, and references to them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tensor, so it has no indices",
    label = "not a tensor",
    note = "what is indexed is a `Tensor`, a `TensorRef`, a `TensorMut`, a `Blocks`, an `Expr` or a reference to one; a number stands without brackets",
    note = "a `Result` gives its tensor to `?`: `let a = Tensor::<f64>::zeros([3])?;`, and an argument `a: impl Into<TensorRef<…>>` is one after \
            `let a = a.into();`"
)]
pub trait TensorLike {
    /// The element type.
    type Elem: Numeric;
    /// The shape type.
    type Shape: Extents;
    /// Whether results are dense or in blocks because of it.
    type Form: Form;
    /// This tensor as an operand, borrowed.
    fn operand(&self) -> Operand<'_, Self::Elem, Self::Shape, Self::Form>;
}

/// How equations read a tensor of the program. The method is called on the place of the tensor: where that holds a reference or a recorded
/// result, the operand lives as long as what it refers to, and not as long as the place, so that a closure can return what it records
/// over its arguments. (By-value candidates come before borrowed ones, and inherent methods before those of traits.)
#[doc(hidden)]
pub trait ReadOperand {
    /// The tensor as an operand.
    fn __operand(&self) -> Operand<'_, Self::Elem, Self::Shape, Self::Form>
    where
        Self: TensorLike,
    {
        self.operand()
    }
}

impl<X: ?Sized> ReadOperand for X {}

impl<'a, T: Element, S: Extents> Expr<'a, T, S> {
    #[doc(hidden)]
    pub fn __operand(&self) -> Operand<'a, T, S> {
        Operand::new(OperandData::Recorded(Link::clone(self.value())))
    }
}

/// A tensor that the program passes, not yet recorded. Recording allocates, and a run with a known plan does not need it.
#[derive(Clone, Debug)]
pub(crate) enum OperandData<'a> {
    /// Elements and their layout.
    Elements(SliceRef<'a>, &'a Strided),
    /// Elements in C order of a tensor that holds no layout. Counted, because the code that drops a count is small, and it is compiled
    /// into each function of the program that has an equation.
    Inline(SliceRef<'a>, Arc<Strided>),
    /// A recorded result.
    Recorded(Link<Value<'a>>),
    /// A block tensor.
    Blocks(BlocksRef<'a>),
    /// Truth values, which are made numbers when they are read.
    Truth(&'a [bool], &'a Strided),
    /// Integers, which are made numbers of double precision where these hold them.
    Integers(IntegersRef<'a>, &'a Strided),
}

impl<'a> OperandData<'a> {
    /// The tensor as a value of a recording, which is dense.
    ///
    /// # Errors
    /// Memory, for a block tensor.
    pub(crate) fn value(&self) -> Result<Link<Value<'a>>, Error> {
        Ok(match self {
            OperandData::Recorded(value) => Link::clone(value),
            OperandData::Elements(data, layout) => leaf(*data, layout),
            OperandData::Inline(data, layout) => leaf(*data, layout),
            OperandData::Blocks(blocks) => Value::computed(Arc::new(blocks.to_dense()?)),
            OperandData::Truth(data, layout) => Value::computed(Arc::new(truth_numbers(data, layout)?.into())),
            OperandData::Integers(data, layout) => Value::computed(Arc::new(rounded(*data, layout)?.into())),
        })
    }

    /// The rank.
    pub(crate) fn rank(&self) -> usize {
        match self {
            OperandData::Recorded(value) => value.extents.len(),
            OperandData::Elements(_, layout) => layout.rank(),
            OperandData::Inline(_, layout) => layout.rank(),
            OperandData::Blocks(blocks) => blocks.structure.rank(),
            OperandData::Truth(_, layout) | OperandData::Integers(_, layout) => layout.rank(),
        }
    }

    /// Elements and their layout, if it is a dense tensor.
    #[inline]
    pub(crate) fn elements(&self) -> Option<(SliceRef<'a>, &Strided)> {
        match self {
            OperandData::Elements(data, layout) => Some((*data, layout)),
            OperandData::Inline(data, layout) => Some((*data, layout)),
            OperandData::Recorded(_) | OperandData::Blocks(_) | OperandData::Truth(..) | OperandData::Integers(..) => None,
        }
    }
}

fn leaf<'a>(data: SliceRef<'a>, layout: &Strided) -> Link<Value<'a>> {
    let source = Source::Tensor(AnyRef { data, layout: layout.clone() });
    Link::new(Value { extents: layout.extents().to_vec(), dtype: data.dtype(), source })
}

/// A typed operand that is about to be recorded.
#[derive(Debug)]
pub struct Operand<'a, T, S, F = Whole> {
    pub(crate) given: OperandData<'a>,
    #[allow(clippy::type_complexity, reason = "three types and nothing else")]
    types: PhantomData<fn() -> (T, S, F)>,
}

impl<'a, T: Numeric, S, F> Operand<'a, T, S, F> {
    fn leaf((data, layout): (&'a [T], &'a Strided)) -> Self {
        Operand::new(match (T::numbers(data), T::integers(data)) {
            (Some(data), _) => OperandData::Elements(data, layout),
            (None, Some(data)) => OperandData::Integers(data, layout),
            (None, None) => unreachable!("numbers are integers or have fractions"),
        })
    }
}

// Without bounds on the element type: one that is none is said once, by what is indexed.
impl<'a, T, S, F> Operand<'a, T, S, F> {
    fn new(given: OperandData<'a>) -> Self {
        Operand { given, types: PhantomData }
    }

    /// The form, for the type of a result.
    pub fn form(&self) -> PhantomData<F> {
        PhantomData
    }

    /// The shape type, for the compile-time checks.
    pub fn shape(&self) -> PhantomData<S> {
        PhantomData
    }

    /// The element type, for the compile-time checks.
    pub fn element(&self) -> PhantomData<T> {
        PhantomData
    }
}

/// A tensor of truth values, which is a condition by itself.
#[diagnostic::on_unimplemented(
    message = "a condition is a comparison or a tensor of `bool`, and this is `{Self}`",
    label = "no truth values",
    note = "write `X != 0.0`, or `X >= 0.0`"
)]
pub trait MaskLike {
    /// The shape type.
    type Shape: Extents;
    /// The tensor as an operand.
    fn mask(&self) -> Operand<'_, f32, Self::Shape, Truth>;
}

/// How equations read truth values of the program; a method of all types, so that rustc reports what has none by the trait's sentence.
#[doc(hidden)]
pub trait ReadMask {
    /// The tensor as an operand.
    fn __mask(&self) -> Operand<'_, f32, Self::Shape, Truth>
    where
        Self: MaskLike,
    {
        self.mask()
    }
}

impl<X: ?Sized> ReadMask for X {}

#[diagnostic::do_not_recommend]
impl<S: Extents> MaskLike for Tensor<bool, S> {
    type Shape = S;
    fn mask(&self) -> Operand<'_, f32, S, Truth> {
        let (data, layout) = self.located();
        Operand::new(OperandData::Truth(data, layout))
    }
}

#[diagnostic::do_not_recommend]
impl<S: Extents> MaskLike for TensorRef<'_, bool, S> {
    type Shape = S;
    fn mask(&self) -> Operand<'_, f32, S, Truth> {
        let (data, layout) = self.located();
        Operand::new(OperandData::Truth(data, layout))
    }
}

#[diagnostic::do_not_recommend]
impl<X: MaskLike + ?Sized> MaskLike for &X {
    type Shape = X::Shape;
    fn mask(&self) -> Operand<'_, f32, X::Shape, Truth> {
        (**self).mask()
    }
}

impl<T: Numeric, S: Extents> TensorLike for Tensor<T, S> {
    type Elem = T::Itself;
    type Shape = S;
    type Form = Whole;
    fn operand(&self) -> Operand<'_, T, S> {
        Operand::leaf(self.located())
    }
}

impl<T: Numeric, S: Extents> TensorLike for TensorRef<'_, T, S> {
    type Elem = T::Itself;
    type Shape = S;
    type Form = Whole;
    fn operand(&self) -> Operand<'_, T, S> {
        Operand::leaf(self.located())
    }
}

impl<T: Numeric, S: Extents> TensorLike for TensorMut<'_, T, S> {
    type Elem = T::Itself;
    type Shape = S;
    type Form = Whole;
    fn operand(&self) -> Operand<'_, T, S> {
        Operand::leaf(self.located())
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, S: StaticExtents> TensorLike for StaticTensor<T, S> {
    type Elem = T;
    type Shape = S;
    type Form = Whole;
    fn operand(&self) -> Operand<'_, T, S> {
        let AnyRef { data, layout } = self.erase();
        Operand::new(OperandData::Inline(data, Arc::new(layout)))
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, S: Extents> TensorLike for Expr<'_, T, S> {
    type Elem = T;
    type Shape = S;
    type Form = Whole;
    fn operand(&self) -> Operand<'_, T, S> {
        self.__operand()
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, S: Extents> TensorLike for Blocks<T, S> {
    type Elem = T;
    type Shape = S;
    type Form = InBlocks;
    fn operand(&self) -> Operand<'_, T, S, InBlocks> {
        Operand::new(OperandData::Blocks(self.erase()))
    }
}

#[diagnostic::do_not_recommend]
impl<X: TensorLike + ?Sized> TensorLike for &X {
    type Elem = X::Elem;
    type Shape = X::Shape;
    type Form = X::Form;
    fn operand(&self) -> Operand<'_, X::Elem, X::Shape, X::Form> {
        (**self).operand()
    }
}

// Recommended, because rustc offers a `&mut` otherwise, for what no `&mut` makes a tensor.
impl<X: TensorLike + ?Sized> TensorLike for &mut X {
    type Elem = X::Elem;
    type Shape = X::Shape;
    type Form = X::Form;
    fn operand(&self) -> Operand<'_, X::Elem, X::Shape, X::Form> {
        (**self).operand()
    }
}
