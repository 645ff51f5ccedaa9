//! Recorded values in the form of what they stand for: one, a list, a tuple, a struct.

use super::name::Name;
use crate::exec::{Context, evaluate};
use crate::expr::{AnyValue, Expr, Recordable, Value};
use crate::link::Link;
use crate::tensor::{AnyTensor, Tensor};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::shape::Extents;

/// Recorded values in the form of tensors: an [`Expr`] for one, lists, tuples, and what `#[derive(Tensors)]` makes for a struct.
///
/// Gradients have the form of their variables.
pub trait RecordedTensors<'a>: Clone {
    /// The computed tensors, in the same form.
    type Tensors;
    #[doc(hidden)]
    fn values(&self, all: &mut Vec<AnyValue<'a>>);
    /// The name of each.
    #[doc(hidden)]
    fn names(&self, name: &mut Name, all: &mut Vec<String>);
    /// Other values in this form.
    #[doc(hidden)]
    fn like(&self, values: &mut Queue<AnyValue<'a>>) -> Result<Self, Error>;
    /// Tensors in this form.
    #[doc(hidden)]
    fn tensors(&self, computed: &mut Queue<AnyTensor>) -> Result<Self::Tensors, Error>;

    /// Computes all of them at once: what they share is computed once.
    ///
    /// # Errors
    /// What computing reports.
    fn eval(&self) -> Result<Self::Tensors, Error> {
        self.eval_in(Context::global())
    }

    /// Computes all of them at once, in this context.
    ///
    /// # Errors
    /// What computing reports.
    fn eval_in(&self, context: &Context) -> Result<Self::Tensors, Error> {
        let values = links(self);
        tensors(self, if values.is_empty() { Vec::new() } else { evaluate(context, &values)? })
    }
}

/// The values of a form, in its order.
pub(crate) fn links<'a>(recorded: &impl RecordedTensors<'a>) -> Vec<Link<Value<'a>>> {
    let mut all = Vec::new();
    recorded.values(&mut all);
    all.into_iter().map(|value| value.0).collect()
}

/// The names of the values of a form, in its order.
pub(crate) fn names<'a>(recorded: &impl RecordedTensors<'a>) -> Vec<String> {
    let mut all = Vec::new();
    recorded.names(&mut Name::default(), &mut all);
    all
}

/// Values or tensors, from which each part of a form takes the next.
#[doc(hidden)]
#[derive(Debug)]
pub struct Queue<V>(std::vec::IntoIter<V>);

impl<V> Queue<V> {
    fn new(all: Vec<V>) -> Queue<V> {
        Queue(all.into_iter())
    }

    fn next(&mut self) -> V {
        self.0.next().expect("there is a value for each part of the form")
    }
}

impl<'a, T: Element, S: Extents> RecordedTensors<'a> for Expr<'a, T, S> {
    type Tensors = Tensor<T, S>;
    fn values(&self, all: &mut Vec<AnyValue<'a>>) {
        all.push(self.recordable());
    }
    fn names(&self, name: &mut Name, all: &mut Vec<String>) {
        all.push(name.as_str().to_string());
    }
    fn like(&self, values: &mut Queue<AnyValue<'a>>) -> Result<Self, Error> {
        let AnyValue(value) = values.next();
        debug_assert_eq!(value.dtype, self.value().dtype);
        S::check(&value.extents)?;
        Ok(Expr::new(value))
    }
    fn tensors(&self, computed: &mut Queue<AnyTensor>) -> Result<Tensor<T, S>, Error> {
        computed.next().into_tensor::<T>()?.into_typed()
    }
}

/// Forms that are a sequence of parts of one form.
macro_rules! sequences {
    ($([$($generics:tt)*] $Form:ty, $Tensors:ty, |$results:ident| $collect:expr;)*) => { $(
        impl<'a, R: RecordedTensors<'a>, $($generics)*> RecordedTensors<'a> for $Form {
            type Tensors = $Tensors;
            fn values(&self, all: &mut Vec<AnyValue<'a>>) {
                self.iter().for_each(|part| part.values(all));
            }
            fn names(&self, name: &mut Name, all: &mut Vec<String>) {
                self.iter().enumerate().for_each(|(n, part)| name.at(n, |name| part.names(name, all)));
            }
            fn like(&self, values: &mut Queue<AnyValue<'a>>) -> Result<Self, Error> {
                let $results = self.iter().map(|part| part.like(values));
                $collect
            }
            fn tensors(&self, computed: &mut Queue<AnyTensor>) -> Result<Self::Tensors, Error> {
                let $results = self.iter().map(|part| part.tensors(computed));
                $collect
            }
        }
    )* };
}
sequences! {
    [] Vec<R>, Vec<R::Tensors>, |results| results.collect();
    [const N: usize] [R; N], [R::Tensors; N], |results| array(results);
}

impl<'a, R: RecordedTensors<'a>> RecordedTensors<'a> for Option<R> {
    type Tensors = Option<R::Tensors>;
    fn values(&self, all: &mut Vec<AnyValue<'a>>) {
        self.iter().for_each(|part| part.values(all));
    }
    fn names(&self, name: &mut Name, all: &mut Vec<String>) {
        self.iter().for_each(|part| part.names(name, all));
    }
    fn like(&self, values: &mut Queue<AnyValue<'a>>) -> Result<Self, Error> {
        self.as_ref().map(|part| part.like(values)).transpose()
    }
    fn tensors(&self, computed: &mut Queue<AnyTensor>) -> Result<Self::Tensors, Error> {
        self.as_ref().map(|part| part.tensors(computed)).transpose()
    }
}

/// As many results as an array has parts.
pub(super) fn array<X, const N: usize>(results: impl Iterator<Item = Result<X, Error>>) -> Result<[X; N], Error> {
    let all: Vec<X> = results.collect::<Result<_, _>>()?;
    Ok(all.try_into().ok().expect("an array has as many parts as its form"))
}

macro_rules! tuples {
    ($($($R:ident $axis:tt)*;)*) => { $(
        impl<'a, $($R: RecordedTensors<'a>),*> RecordedTensors<'a> for ($($R,)*) {
            type Tensors = ($($R::Tensors,)*);
            fn values(&self, _all: &mut Vec<AnyValue<'a>>) {
                $(self.$axis.values(_all);)*
            }
            fn names(&self, _name: &mut Name, _all: &mut Vec<String>) {
                $(_name.at($axis, |name| self.$axis.names(name, _all));)*
            }
            fn like(&self, _values: &mut Queue<AnyValue<'a>>) -> Result<Self, Error> {
                Ok(($(self.$axis.like(_values)?,)*))
            }
            fn tensors(&self, _computed: &mut Queue<AnyTensor>) -> Result<Self::Tensors, Error> {
                Ok(($(self.$axis.tensors(_computed)?,)*))
            }
        }
    )* };
}
tuples! {
    ;
    R0 0;
    R0 0 R1 1;
    R0 0 R1 1 R2 2;
    R0 0 R1 1 R2 2 R3 3;
    R0 0 R1 1 R2 2 R3 3 R4 4;
    R0 0 R1 1 R2 2 R3 3 R4 4 R5 5;
    R0 0 R1 1 R2 2 R3 3 R4 4 R5 5 R6 6;
    R0 0 R1 1 R2 2 R3 3 R4 4 R5 5 R6 6 R7 7;
}

/// Other values in a form.
pub(crate) fn like<'a, R: RecordedTensors<'a>>(form: &R, values: Vec<Link<Value<'a>>>) -> Result<R, Error> {
    form.like(&mut Queue::new(values.into_iter().map(AnyValue).collect()))
}

/// Computed tensors in a form.
pub(crate) fn tensors<'a, R: RecordedTensors<'a>>(form: &R, computed: Vec<AnyTensor>) -> Result<R::Tensors, Error> {
    form.tensors(&mut Queue::new(computed))
}
