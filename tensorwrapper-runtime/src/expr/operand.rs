//! The types that can be an operand or a scalar of an equation.

use std::marker::PhantomData;
use std::sync::Arc;

use num_complex::Complex;

use super::form::{Form, InBlocks, Truth, Whole};
use super::value::{Expr, Source, Value};
use crate::link::Link;
use crate::tensor::{AnyRef, Blocks, BlocksRef, StaticTensor, Tensor, TensorMut, TensorRef};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::{Extents, StaticExtents};
use tensorwrapper_core::storage::{Owned, SliceRef};

/// Anything that `tensor!` can index: tensors, views, block tensors, recorded results, and references to them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tensor, so it has no indices",
    label = "not a tensor",
    note = "what is indexed is a `Tensor`, a `TensorRef`, a `TensorMut`, a `Blocks`, an `Expr` or a reference to one; a number stands without brackets"
)]
pub trait TensorLike {
    /// The element type.
    type Elem: Element;
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
        })
    }

    /// The rank.
    pub(crate) fn rank(&self) -> usize {
        match self {
            OperandData::Recorded(value) => value.extents.len(),
            OperandData::Elements(_, layout) => layout.rank(),
            OperandData::Inline(_, layout) => layout.rank(),
            OperandData::Blocks(blocks) => blocks.structure.rank(),
            OperandData::Truth(_, layout) => layout.rank(),
        }
    }

    /// Elements and their layout, if it is a dense tensor.
    #[inline]
    pub(crate) fn elements(&self) -> Option<(SliceRef<'a>, &Strided)> {
        match self {
            OperandData::Elements(data, layout) => Some((*data, layout)),
            OperandData::Inline(data, layout) => Some((*data, layout)),
            OperandData::Recorded(_) | OperandData::Blocks(_) | OperandData::Truth(..) => None,
        }
    }
}

/// Truth values as 1 and 0, in the smallest element type.
///
/// # Errors
/// Memory.
pub(crate) fn truth_numbers(data: &[bool], layout: &Strided) -> Result<Tensor<f32>, Error> {
    let to = Strided::row_major(layout.extents())?;
    let mut elements = Owned::with_room(to.len())?;
    match layout.is_row_major() {
        true => elements.extend(data[layout.start()..][..to.len()].iter().map(|&holds| f32::from(holds))),
        false => elements.extend(layout.positions().map(|position| f32::from(data[position]))),
    }
    Ok(Tensor::from_parts(elements, to))
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

// Without bounds on the element type: one that is none is said once, by what is indexed.
impl<'a, T, S, F> Operand<'a, T, S, F> {
    fn new(given: OperandData<'a>) -> Self {
        Operand { given, types: PhantomData }
    }

    /// The form, for the type of a result.
    pub fn form(&self) -> PhantomData<F> {
        PhantomData
    }

    fn leaf((data, layout): (SliceRef<'a>, &'a Strided)) -> Self {
        Operand::new(OperandData::Elements(data, layout))
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

impl<T: Element, S: Extents> TensorLike for Tensor<T, S> {
    type Elem = T::Itself;
    type Shape = S;
    type Form = Whole;
    fn operand(&self) -> Operand<'_, T, S> {
        Operand::leaf(self.parts())
    }
}

impl<T: Element, S: Extents> TensorLike for TensorRef<'_, T, S> {
    type Elem = T::Itself;
    type Shape = S;
    type Form = Whole;
    fn operand(&self) -> Operand<'_, T, S> {
        Operand::leaf(self.parts())
    }
}

impl<T: Element, S: Extents> TensorLike for TensorMut<'_, T, S> {
    type Elem = T::Itself;
    type Shape = S;
    type Form = Whole;
    fn operand(&self) -> Operand<'_, T, S> {
        Operand::leaf(self.parts())
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

/// A scalar of an equation: a number, or a tensor or recorded result of rank 0.
#[derive(Debug)]
pub struct ScalarValue<'a>(pub(crate) ScalarKind<'a>);

/// What a scalar is.
#[derive(Clone, Debug)]
pub(crate) enum ScalarKind<'a> {
    /// A number.
    Number(Complex<f64>),
    /// A tensor of rank 0.
    Tensor(OperandData<'a>),
    /// A result of the block, by its number there.
    Local(usize),
}

impl<'a> ScalarValue<'a> {
    /// A number that an earlier equation of the block computes.
    pub(crate) fn local(number: usize) -> Self {
        ScalarValue(ScalarKind::Local(number))
    }

    fn number(value: Complex<f64>) -> Self {
        ScalarValue(ScalarKind::Number(value))
    }
}

/// Anything that can be a number in an equation over elements of type `T`. It is borrowed for `'r`, and what is recorded lives for `'x`: a
/// number for as long as wanted, a reference and a recorded result for as long as what they refer to.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a scalar in an equation over `{T}`",
    label = "not a scalar of `{T}` equations",
    note = "a number is of the element type or its real type; convert another one in braces, as in `{{ x as f64 }}`",
    note = "a tensor needs its indices, as in `A[i, j]`, unless it is of rank 0"
)]
pub trait IntoScalar<'r, 'x, T: Element> {
    /// This number, recorded.
    fn to_scalar(&'r self) -> ScalarValue<'x>;
    /// The same, with the element type given by a value.
    #[doc(hidden)]
    fn scalar(_: PhantomData<T>, value: &'r Self) -> ScalarValue<'x> {
        value.to_scalar()
    }
}

/// The shape of a tensor that can be used without indices, as a single number.
pub trait ScalarShape: Extents {}
impl ScalarShape for () {}

#[diagnostic::do_not_recommend]
impl<'r, 'x, T: Element> IntoScalar<'r, 'x, T> for T {
    fn to_scalar(&'r self) -> ScalarValue<'x> {
        ScalarValue::number(self.to_complex())
    }
}

#[diagnostic::do_not_recommend]
impl<'r, 'x> IntoScalar<'r, 'x, Complex<f64>> for f64 {
    fn to_scalar(&'r self) -> ScalarValue<'x> {
        ScalarValue::number(Complex::new(*self, 0.0))
    }
}

#[diagnostic::do_not_recommend]
impl<'r, 'x> IntoScalar<'r, 'x, Complex<f32>> for f32 {
    fn to_scalar(&'r self) -> ScalarValue<'x> {
        ScalarValue::number(Complex::new(f64::from(*self), 0.0))
    }
}

/// References to numbers, one by one: a blanket implementation would meet the one for elements.
macro_rules! references {
    ($($X:ty: $($T:ty),*;)*) => { $($(
        #[diagnostic::do_not_recommend]
        impl<'r, 'x> IntoScalar<'r, 'x, $T> for &$X {
            fn to_scalar(&'r self) -> ScalarValue<'x> {
                ScalarValue::number((**self).to_complex())
            }
        }
    )*)* };
}
references! {
    f32: f32, Complex<f32>;
    f64: f64, Complex<f64>;
    Complex<f32>: Complex<f32>;
    Complex<f64>: Complex<f64>;
}

/// Tensors of rank 0 and references to them, one by one for the same reason. `'o` is how long each lives that does not live as long as
/// its place.
macro_rules! tensors {
    ($($borrow:lifetime [$($life:lifetime)?] $X:ty;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<'r, 'x, $($life,)? T: Element, S: ScalarShape> IntoScalar<'r, 'x, T> for $X where $borrow: 'x {
            fn to_scalar(&'r self) -> ScalarValue<'x> {
                ScalarValue(ScalarKind::Tensor((*self).__operand().given))
            }
        }
    )* };
}
tensors! {
    'r [] Tensor<T, S>;
    'o ['o] &'o Tensor<T, S>;
    'r [] &mut Tensor<T, S>;
    'r [] TensorRef<'_, T, S>;
    'o ['o] &'o TensorRef<'_, T, S>;
    'r [] TensorMut<'_, T, S>;
    'o ['o] &'o TensorMut<'_, T, S>;
    'o ['o] Expr<'o, T, S>;
    'o ['o] &Expr<'o, T, S>;
}

#[diagnostic::do_not_recommend]
impl<'r: 'x, 'x, T: Element> IntoScalar<'r, 'x, T> for StaticTensor<T, ()> {
    fn to_scalar(&'r self) -> ScalarValue<'x> {
        ScalarValue(ScalarKind::Tensor(self.operand().given))
    }
}

#[diagnostic::do_not_recommend]
impl<'r, 'x, T: Element> IntoScalar<'r, 'x, T> for &'x StaticTensor<T, ()> {
    fn to_scalar(&'r self) -> ScalarValue<'x> {
        (**self).to_scalar()
    }
}
