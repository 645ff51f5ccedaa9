//! The types that can be a number of an equation.

use std::marker::PhantomData;

use num_complex::Complex;

use super::integers::first;
use super::operand::{OperandData, ReadOperand, TensorLike};
use super::value::Expr;
use crate::tensor::{StaticTensor, Tensor, TensorMut, TensorRef};
use tensorwrapper_core::Numeric;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::shape::Extents;

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

    fn tensor(given: OperandData<'a>) -> Self {
        ScalarValue(match given {
            OperandData::Integers(data, layout) => ScalarKind::Number(first(data, layout).to_constant()),
            given => ScalarKind::Tensor(given),
        })
    }
}

/// Anything that can be a number in an equation over elements of type `T`. It is borrowed for `'r`, and what is recorded lives for `'x`: a
/// number for as long as wanted, a reference and a recorded result for as long as what they refer to.
pub trait IntoScalar<'r, 'x, T: Numeric> {
    /// This number, recorded.
    fn to_scalar(&'r self) -> ScalarValue<'x>;
}

/// The same for `tensor!`. `M` is the type of `unwritten`, so that rustc proposes no private bound.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a scalar in an equation over `{T}`",
    label = "not a scalar of `{T}` equations",
    note = "a number is of the element type or its real type; convert another one in braces, as in `{{ x as f64 }}`, or `{{ T::from_complex(x.into()) }}` in code for any `T`; real tensors beside a complex number are written `cast(Complex<f64>; A[i, j])`",
    note = "a tensor needs its indices, as in `A[i, j]`, unless it is of rank 0"
)]
pub trait PassedAsScalar<'r, 'x, T, M> {
    /// This number, recorded in an equation over these elements.
    fn scalar(element: PhantomData<T>, value: &'r Self, _: M) -> ScalarValue<'x>;
}
#[diagnostic::do_not_recommend]
impl<'r, 'x, T: Numeric, M, X: IntoScalar<'r, 'x, T>> PassedAsScalar<'r, 'x, T, M> for X {
    fn scalar(_: PhantomData<T>, value: &'r X, _: M) -> ScalarValue<'x> {
        value.to_scalar()
    }
}

/// The shape of a tensor that can be used without indices, as a single number.
pub trait ScalarShape: Extents {}
impl ScalarShape for () {}

#[diagnostic::do_not_recommend]
impl<'r, 'x, T: Numeric> IntoScalar<'r, 'x, T> for T {
    fn to_scalar(&'r self) -> ScalarValue<'x> {
        ScalarValue::number(self.to_constant())
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
                ScalarValue::number((**self).to_constant())
            }
        }
    )*)* };
}
references! {
    f32: f32, Complex<f32>;
    f64: f64, Complex<f64>;
    Complex<f32>: Complex<f32>;
    Complex<f64>: Complex<f64>;
    i32: i32;
    i64: i64;
    u8: u8;
}

/// Tensors of rank 0 and references to them, one by one for the same reason. `'o` is how long each lives that does not live as long as
/// its place.
macro_rules! tensors {
    ($($Bound:ident: $borrow:lifetime [$($life:lifetime)?] $X:ty;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<'r, 'x, $($life,)? T: $Bound, S: ScalarShape> IntoScalar<'r, 'x, T> for $X where $borrow: 'x {
            fn to_scalar(&'r self) -> ScalarValue<'x> {
                ScalarValue::tensor((*self).__operand().given)
            }
        }
    )* };
}
tensors! {
    Numeric: 'r [] Tensor<T, S>;
    Numeric: 'o ['o] &'o Tensor<T, S>;
    Numeric: 'r [] &mut Tensor<T, S>;
    Numeric: 'r [] TensorRef<'_, T, S>;
    Numeric: 'o ['o] &'o TensorRef<'_, T, S>;
    Numeric: 'r [] TensorMut<'_, T, S>;
    Numeric: 'o ['o] &'o TensorMut<'_, T, S>;
    Element: 'o ['o] Expr<'o, T, S>;
    Element: 'o ['o] &Expr<'o, T, S>;
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
