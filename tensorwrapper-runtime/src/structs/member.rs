//! What a field of a struct of tensors can be: a tensor, a struct of tensors, or a list, an option, an array or a tuple of such.

use super::name::Name;
use super::recorded::{RecordedTensors, array};
use super::saved::Saved;
use crate::expr::{Expr, Recordable};
use crate::tensor::{Tensor, TensorMut, TensorRef};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::shape::Extents;

/// What holds tensors with elements of one type: a [`Tensor`], a [struct](crate::Tensors) of tensors, and `Vec`, `Option`, arrays and
/// tuples of them. Sealed by what is needed of it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no tensor and no struct of tensors",
    label = "a field that holds no tensors",
    note = "a field is a `Tensor`, a struct with `#[derive(Tensors)]`, or a `Vec`, `Option`, array or tuple of them",
    note = "a number that is to be a variable is a `Tensor<f64, ()>`; any other field is marked `#[tensors(skip)]`"
)]
pub trait HasElements: Member<<Self as HasElements>::Elem> {
    /// The element type.
    type Elem: Element;
}

/// What is done to each tensor of a struct.
#[doc(hidden)]
pub trait Visitor<'t, E: Element> {
    /// A tensor, by its name: `layers.0.weight`.
    fn tensor(&mut self, name: &str, tensor: TensorRef<'t, E>);
    /// A list, before its elements.
    fn list(&mut self, _name: &str, _len: usize) {}
}

impl<'t, E: Element, F: FnMut(&str, TensorRef<'t, E>)> Visitor<'t, E> for F {
    fn tensor(&mut self, name: &str, tensor: TensorRef<'t, E>) {
        self(name, tensor);
    }
}

/// A field, as the struct that holds it needs it. `E` is the element type of the struct.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no field of a struct of tensors with elements of type `{E}`",
    label = "a field with other elements, or none",
    note = "all tensors of a struct have elements of one type, that of its first field; those of another type are fields of a struct of their own",
    note = "a field is a `Tensor`, a struct with `#[derive(Tensors)]`, or a `Vec`, `Option`, array or tuple of them; any other is marked `#[tensors(skip)]`",
    note = "a number that is to be a variable is a `Tensor<f64, ()>`; one that is marked has no gradient"
)]
pub trait Member<E: Element>: Sized + 'static {
    /// Recorded values in place of tensors.
    type Recorded<'a>: RecordedTensors<'a, Tensors = Self>;
    /// Recorded values that read the tensors.
    fn recorded(&self) -> Self::Recorded<'_>;
    fn cloned_member(&self) -> Self;
    fn each<'t>(&'t self, name: &mut Name, visitor: &mut dyn Visitor<'t, E>);
    fn each_mut(&mut self, name: &mut Name, visitor: &mut dyn FnMut(&str, TensorMut<'_, E>));
    /// The field as it was saved.
    fn read_from(name: &mut Name, saved: &mut Saved) -> Result<Self, Error>;
}

impl<T: Element, S: Extents> HasElements for Tensor<T, S> {
    type Elem = T;
}

impl<T: Element, S: Extents> Member<T> for Tensor<T, S> {
    type Recorded<'a> = Expr<'a, T, S>;
    fn recorded(&self) -> Expr<'_, T, S> {
        Expr::new(self.recordable().0)
    }
    fn cloned_member(&self) -> Self {
        self.clone()
    }
    fn each<'t>(&'t self, name: &mut Name, visitor: &mut dyn Visitor<'t, T>) {
        visitor.tensor(name.as_str(), self.view().into_dyn());
    }
    fn each_mut(&mut self, name: &mut Name, visitor: &mut dyn FnMut(&str, TensorMut<'_, T>)) {
        visitor(name.as_str(), self.view_mut().into_dyn());
    }
    fn read_from(name: &mut Name, saved: &mut Saved) -> Result<Self, Error> {
        saved.tensor(name.as_str())
    }
}

/// As many parts as a form has.
fn collected<X, Form: TryFrom<Vec<X>>>(parts: impl Iterator<Item = X>) -> Form {
    parts.collect::<Vec<X>>().try_into().ok().expect("there are as many as parts")
}

/// Fields that are several parts of one kind: how their lengths are known, and how they are collected from results.
macro_rules! sequences {
    ($([$($generics:tt)*] $Form:ty, $Recorded:ty, |$name:ident, $saved:ident| $load:expr;)*) => { $(
        impl<X: HasElements, $($generics)*> HasElements for $Form {
            type Elem = X::Elem;
        }
        impl<E: Element, X: Member<E>, $($generics)*> Member<E> for $Form {
            type Recorded<'a> = $Recorded;
            fn recorded(&self) -> Self::Recorded<'_> {
                collected(self.iter().map(X::recorded))
            }
            fn cloned_member(&self) -> Self {
                collected(self.iter().map(X::cloned_member))
            }
            fn each<'t>(&'t self, name: &mut Name, visitor: &mut dyn Visitor<'t, E>) {
                visitor.list(name.as_str(), self.len());
                self.iter().enumerate().for_each(|(n, part)| name.at(n, |name| part.each(name, visitor)));
            }
            fn each_mut(&mut self, name: &mut Name, visitor: &mut dyn FnMut(&str, TensorMut<'_, E>)) {
                self.iter_mut().enumerate().for_each(|(n, part)| name.at(n, |name| part.each_mut(name, visitor)));
            }
            fn read_from($name: &mut Name, $saved: &mut Saved) -> Result<Self, Error> {
                $load
            }
        }
    )* };
}
sequences! {
    [] Vec<X>, Vec<X::Recorded<'a>>, |name, saved| {
        let len = saved.len(name.as_str())?;
        (0..len).map(|n| name.at(n, |name| X::read_from(name, saved))).collect()
    };
    [const N: usize] [X; N], [X::Recorded<'a>; N], |name, saved| {
        saved.expect_len(name.as_str(), N)?;
        array((0..N).map(|n| name.at(n, |name| X::read_from(name, saved))))
    };
}

/// An option is its content, which may be absent.
impl<X: HasElements> HasElements for Option<X> {
    type Elem = X::Elem;
}

impl<E: Element, X: Member<E>> Member<E> for Option<X> {
    type Recorded<'a> = Option<X::Recorded<'a>>;
    fn recorded(&self) -> Self::Recorded<'_> {
        self.as_ref().map(X::recorded)
    }
    fn cloned_member(&self) -> Self {
        self.as_ref().map(X::cloned_member)
    }
    fn each<'t>(&'t self, name: &mut Name, visitor: &mut dyn Visitor<'t, E>) {
        if let Some(part) = self {
            part.each(name, visitor);
        }
    }
    fn each_mut(&mut self, name: &mut Name, visitor: &mut dyn FnMut(&str, TensorMut<'_, E>)) {
        if let Some(part) = self {
            part.each_mut(name, visitor);
        }
    }
    fn read_from(name: &mut Name, saved: &mut Saved) -> Result<Self, Error> {
        saved.has(name.as_str()).then(|| X::read_from(name, saved)).transpose()
    }
}

macro_rules! tuples {
    ($($X0:ident $($X:ident $axis:tt)*;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<$X0: HasElements, $($X: HasElements<Elem = $X0::Elem>),*> HasElements for ($X0, $($X,)*) {
            type Elem = $X0::Elem;
        }
        #[diagnostic::do_not_recommend]
        impl<E: Element, $X0: Member<E>, $($X: Member<E>),*> Member<E> for ($X0, $($X,)*) {
            type Recorded<'a> = ($X0::Recorded<'a>, $($X::Recorded<'a>,)*);
            fn recorded(&self) -> Self::Recorded<'_> {
                (self.0.recorded(), $(self.$axis.recorded(),)*)
            }
            fn cloned_member(&self) -> Self {
                (self.0.cloned_member(), $(self.$axis.cloned_member(),)*)
            }
            fn each<'t>(&'t self, name: &mut Name, visitor: &mut dyn Visitor<'t, E>) {
                name.at(0, |name| self.0.each(name, visitor));
                $(name.at($axis, |name| self.$axis.each(name, visitor));)*
            }
            fn each_mut(&mut self, name: &mut Name, visitor: &mut dyn FnMut(&str, TensorMut<'_, E>)) {
                name.at(0, |name| self.0.each_mut(name, visitor));
                $(name.at($axis, |name| self.$axis.each_mut(name, visitor));)*
            }
            fn read_from(name: &mut Name, saved: &mut Saved) -> Result<Self, Error> {
                Ok((name.at(0, |name| $X0::read_from(name, saved))?, $(name.at($axis, |name| $X::read_from(name, saved))?,)*))
            }
        }
    )* };
}
tuples! {
    X0;
    X0 X1 1;
    X0 X1 1 X2 2;
    X0 X1 1 X2 2 X3 3;
    X0 X1 1 X2 2 X3 3 X4 4;
    X0 X1 1 X2 2 X3 3 X4 4 X5 5;
    X0 X1 1 X2 2 X3 3 X4 4 X5 5 X6 6;
    X0 X1 1 X2 2 X3 3 X4 4 X5 5 X6 6 X7 7;
}
