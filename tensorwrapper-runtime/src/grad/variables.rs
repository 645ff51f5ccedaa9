//! What a derivative can be taken by, with the types of the results.

use crate::expr::{AnyValue, Expr, Recordable};
use crate::tensor::{Tensor, TensorRef};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::shape::{Extents, Shape};

/// Variables of a derivative: recorded results, tensors and views that the recording reads, tuples of them up to eight, and slices.
///
/// A tensor is a variable wherever the recording reads it. A recorded result is held constant against nothing: the derivative by it is
/// that of everything that uses it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no variable of a derivative",
    label = "not a variable",
    note = "a variable is a reference to a recorded result, a tensor or a view, or a tuple of such"
)]
pub trait Variables<'a> {
    /// The derivatives, each a recorded value of its variable's type and shape.
    type Gradients;
    #[doc(hidden)]
    fn variables(&self) -> Vec<AnyValue<'a>>;
    #[doc(hidden)]
    fn gradients(values: Vec<AnyValue<'a>>) -> Result<Self::Gradients, Error>;
}

/// Variables, each with the direction in which it changes: tuples `(&x, &dx)`, and tuples of them up to eight.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no list of variables and their directions",
    label = "write `((&x, &dx),)`",
    note = "a direction has the shape and the elements of its variable"
)]
pub trait Directions<'a> {
    /// The derivatives of a gradient along the directions, each of its variable's type and shape.
    type Gradients;
    #[doc(hidden)]
    fn variables(&self) -> Vec<AnyValue<'a>>;
    #[doc(hidden)]
    fn directions(&self) -> Result<Vec<AnyValue<'a>>, Error>;
    #[doc(hidden)]
    fn gradients(values: Vec<AnyValue<'a>>) -> Result<Self::Gradients, Error>;
}

/// The shape of a value that may be a number. Sealed by being implemented for `()` and shapes of run-time rank.
#[diagnostic::on_unimplemented(
    message = "the gradient of a tensor of shape `{Self}`, which is no number",
    label = "not a number",
    note = "sum it to a number first; `vjp` weights a tensor's derivatives, and `jacobian` gives all of them"
)]
pub trait NumberShape: Extents {}
impl NumberShape for () {}
impl NumberShape for Shape {}

/// The real element types.
#[diagnostic::on_unimplemented(
    message = "the gradient of a number of type `{Self}`, which is complex",
    label = "a complex number has no gradient",
    note = "record its real part by `cast(re(…))`"
)]
pub trait RealNumber: Element<Real = Self> {}
impl RealNumber for f32 {}
impl RealNumber for f64 {}

fn typed<'a, T: Element, S: Extents>(value: AnyValue<'a>) -> Result<Expr<'a, T, S>, Error> {
    S::check(&value.0.extents)?;
    Ok(Expr::new(value.0))
}

/// A direction with the extents of its variable.
fn direction<'a>(variable: &impl Recordable<'a>, direction: &impl Recordable<'a>) -> Result<AnyValue<'a>, Error> {
    let (variable, direction) = (variable.recordable().0, direction.recordable().0);
    if variable.extents != direction.extents {
        let message = format!("a variable has extents {:?}, but its direction {:?}", variable.extents, direction.extents);
        return Err(Error::new(ErrorKind::Shape(message)));
    }
    Ok(AnyValue(direction))
}

#[diagnostic::do_not_recommend]
impl<'a, X: Recordable<'a>> Variables<'a> for X {
    type Gradients = Expr<'a, X::Elem, X::Shape>;
    fn variables(&self) -> Vec<AnyValue<'a>> {
        vec![self.recordable()]
    }
    fn gradients(mut values: Vec<AnyValue<'a>>) -> Result<Self::Gradients, Error> {
        typed(values.remove(0))
    }
}

macro_rules! pairs {
    ($([$($generics:tt)*] $X:ty;)*) => { $(
        impl<'a, $($generics)*, D: Recordable<'a, Elem = T, Shape = S>> Directions<'a> for ($X, D) {
            type Gradients = Expr<'a, T, S>;
            fn variables(&self) -> Vec<AnyValue<'a>> {
                vec![self.0.recordable()]
            }
            fn directions(&self) -> Result<Vec<AnyValue<'a>>, Error> {
                Ok(vec![direction(&self.0, &self.1)?])
            }
            fn gradients(mut values: Vec<AnyValue<'a>>) -> Result<Self::Gradients, Error> {
                typed(values.remove(0))
            }
        }
    )* };
}
pairs! {
    ['v, T: Element, S: Extents] &'v Expr<'a, T, S>;
    [T: Element, S: Extents] &'a Tensor<T, S>;
    ['v, T: Element, S: Extents] &'a TensorRef<'v, T, S>;
}

macro_rules! slices {
    ($([$($generics:tt)*] $X:ty, $One:ty;)*) => { $(
        impl<'a, $($generics)*> Variables<'a> for $X {
            type Gradients = Vec<Expr<'a, T, S>>;
            fn variables(&self) -> Vec<AnyValue<'a>> {
                self.iter().map(|one| <$One as Recordable<'a>>::recordable(&one)).collect()
            }
            fn gradients(values: Vec<AnyValue<'a>>) -> Result<Self::Gradients, Error> {
                values.into_iter().map(typed).collect()
            }
        }
    )* };
}
slices! {
    ['v, T: Element, S: Extents] &'v [Expr<'a, T, S>], &Expr<'a, T, S>;
    [T: Element, S: Extents] &'a [Tensor<T, S>], &'a Tensor<T, S>;
}

/// Pairs of variables and their directions.
impl<'a, X: Recordable<'a>, D: Recordable<'a, Elem = X::Elem, Shape = X::Shape>> Directions<'a> for &[(X, D)] {
    type Gradients = Vec<Expr<'a, X::Elem, X::Shape>>;
    fn variables(&self) -> Vec<AnyValue<'a>> {
        self.iter().map(|(variable, _)| variable.recordable()).collect()
    }
    fn directions(&self) -> Result<Vec<AnyValue<'a>>, Error> {
        self.iter().map(|(variable, along)| direction(variable, along)).collect()
    }
    fn gradients(values: Vec<AnyValue<'a>>) -> Result<Self::Gradients, Error> {
        values.into_iter().map(typed).collect()
    }
}

macro_rules! tuples {
    ($($($X:ident $D:ident $axis:tt)*;)*) => { $(
        impl<'a, $($X: Recordable<'a>),*> Variables<'a> for ($($X,)*) {
            type Gradients = ($(Expr<'a, $X::Elem, $X::Shape>,)*);
            fn variables(&self) -> Vec<AnyValue<'a>> {
                vec![$(self.$axis.recordable()),*]
            }
            fn gradients(values: Vec<AnyValue<'a>>) -> Result<Self::Gradients, Error> {
                let mut values = values.into_iter();
                Ok(($(typed::<$X::Elem, $X::Shape>(values.next().expect("a gradient for each variable"))?,)*))
            }
        }
        impl<'a, $($X: Recordable<'a>, $D: Recordable<'a, Elem = $X::Elem, Shape = $X::Shape>),*> Directions<'a>
            for ($(($X, $D),)*)
        {
            type Gradients = ($(Expr<'a, $X::Elem, $X::Shape>,)*);
            fn variables(&self) -> Vec<AnyValue<'a>> {
                vec![$(self.$axis.0.recordable()),*]
            }
            fn directions(&self) -> Result<Vec<AnyValue<'a>>, Error> {
                Ok(vec![$(direction(&self.$axis.0, &self.$axis.1)?),*])
            }
            fn gradients(values: Vec<AnyValue<'a>>) -> Result<Self::Gradients, Error> {
                let mut values = values.into_iter();
                Ok(($(typed::<$X::Elem, $X::Shape>(values.next().expect("a gradient for each variable"))?,)*))
            }
        }
    )* };
}
tuples! {
    X0 D0 0;
    X0 D0 0 X1 D1 1;
    X0 D0 0 X1 D1 1 X2 D2 2;
    X0 D0 0 X1 D1 1 X2 D2 2 X3 D3 3;
    X0 D0 0 X1 D1 1 X2 D2 2 X3 D3 3 X4 D4 4;
    X0 D0 0 X1 D1 1 X2 D2 2 X3 D3 3 X4 D4 4 X5 D5 5;
    X0 D0 0 X1 D1 1 X2 D2 2 X3 D3 3 X4 D4 4 X5 D5 5 X6 D6 6;
    X0 D0 0 X1 D1 1 X2 D2 2 X3 D3 3 X4 D4 4 X5 D5 5 X6 D6 6 X7 D7 7;
}
