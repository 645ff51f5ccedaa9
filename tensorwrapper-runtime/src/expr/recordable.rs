//! Tensors as values of a recording that lives as long as they do.

use super::operand::TensorLike;
use super::value::{Expr, Source, Value};
use crate::link::Link;
use crate::tensor::{AnyRef, Tensor, TensorRef};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::shape::Extents;

/// One tensor of a recording: a reference to a recorded result, a tensor or a view. A recorded result is shared; tensors and views are
/// borrowed for as long as the recording lives.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no tensor of a recording",
    label = "not a reference to a recorded result, a tensor or a view"
)]
pub trait Recordable<'a> {
    /// The element type.
    type Elem: Element;
    /// The shape type.
    type Shape: Extents;
    #[doc(hidden)]
    fn recordable(&self) -> AnyValue<'a>;
}

/// A recorded value without its types.
#[doc(hidden)]
#[derive(Debug)]
pub struct AnyValue<'a>(pub(crate) Link<Value<'a>>);

impl<'a, T: Element, S: Extents> Recordable<'a> for &Expr<'a, T, S> {
    type Elem = T;
    type Shape = S;
    fn recordable(&self) -> AnyValue<'a> {
        AnyValue(Link::clone(Expr::value(self)))
    }
}

fn borrowed<'a>(tensor: &'a impl TensorLike<Elem: Element>) -> AnyValue<'a> {
    let operand = tensor.operand().given;
    let (data, layout) = operand.elements().expect("a dense tensor has elements");
    let source = Source::Tensor(AnyRef { data, layout: layout.clone() });
    AnyValue(Link::new(Value { extents: layout.extents().to_vec(), dtype: data.dtype(), source }))
}

impl<'a, T: Element, S: Extents> Recordable<'a> for &'a Tensor<T, S> {
    type Elem = T;
    type Shape = S;
    fn recordable(&self) -> AnyValue<'a> {
        borrowed(*self)
    }
}

impl<'a, T: Element, S: Extents> Recordable<'a> for &'a TensorRef<'_, T, S> {
    type Elem = T;
    type Shape = S;
    fn recordable(&self) -> AnyValue<'a> {
        borrowed(*self)
    }
}
