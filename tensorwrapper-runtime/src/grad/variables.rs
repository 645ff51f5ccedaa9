//! What a derivative can be taken by, with the types of the results.

use crate::expr::{AnyValue, Expr, Recordable};
use crate::tensor::{AnyTensor, Tensor, TensorRef};
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
    /// Computed tensors of the same types and shapes.
    type Tensors;
    #[doc(hidden)]
    fn variables(&self) -> Vec<AnyValue<'a>>;
    /// Which of them may have no influence.
    #[doc(hidden)]
    fn optional(&self) -> Vec<bool>;
    #[doc(hidden)]
    fn gradients(values: Vec<AnyValue<'a>>) -> Result<Self::Gradients, Error>;
    /// Recorded values, without their types.
    #[doc(hidden)]
    fn values(recorded: &Self::Gradients) -> Vec<AnyValue<'a>>;
    #[doc(hidden)]
    fn tensors(computed: Vec<AnyTensor>) -> Result<Self::Tensors, Error>;
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
    fn optional(&self) -> Vec<bool>;
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

fn typed_tensor<T: Element, S: Extents>(tensor: AnyTensor) -> Result<Tensor<T, S>, Error> {
    tensor.into_tensor::<T>()?.into_typed()
}

/// A variable that the value need not depend on.
#[derive(Clone, Copy, Debug)]
pub struct OrZero<X>(X);

/// A variable of a derivative that the value need not depend on: the derivative by it is zero then, where it would be an error.
///
/// ```
/// use tensorwrapper_runtime::{Tensor, or_zero};
/// let x = Tensor::<f64>::filled([2], 3.0)?;
/// let other = Tensor::<f64>::filled([2], 1.0)?;
/// let loss = (x.at("i") * x.at("i")).record("")?;
/// assert!(loss.grad((&x, &other)).is_err());
/// let (by_x, by_other) = loss.grad((&x, or_zero(&other)))?;
/// assert_eq!(by_x.eval()?.as_slice(), [6.0, 6.0]);
/// assert_eq!(by_other.eval()?.as_slice(), [0.0, 0.0]);
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
pub fn or_zero<'a, X: Recordable<'a>>(variable: X) -> OrZero<X> {
    OrZero(variable)
}

impl<'a, X: Recordable<'a>> Recordable<'a> for OrZero<X> {
    type Elem = X::Elem;
    type Shape = X::Shape;
    fn recordable(&self) -> AnyValue<'a> {
        self.0.recordable()
    }
    fn is_optional(&self) -> bool {
        true
    }
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
    type Tensors = Tensor<X::Elem, X::Shape>;
    fn variables(&self) -> Vec<AnyValue<'a>> {
        vec![self.recordable()]
    }
    fn optional(&self) -> Vec<bool> {
        vec![self.is_optional()]
    }
    fn gradients(mut values: Vec<AnyValue<'a>>) -> Result<Self::Gradients, Error> {
        typed(values.remove(0))
    }
    fn values(recorded: &Self::Gradients) -> Vec<AnyValue<'a>> {
        vec![recorded.recordable()]
    }
    fn tensors(mut computed: Vec<AnyTensor>) -> Result<Self::Tensors, Error> {
        typed_tensor(computed.remove(0))
    }
}

/// No variables, for functions that have no parameters.
impl<'a> Variables<'a> for () {
    type Gradients = ();
    type Tensors = ();
    fn variables(&self) -> Vec<AnyValue<'a>> {
        Vec::new()
    }
    fn optional(&self) -> Vec<bool> {
        Vec::new()
    }
    fn gradients(_: Vec<AnyValue<'a>>) -> Result<(), Error> {
        Ok(())
    }
    fn values((): &()) -> Vec<AnyValue<'a>> {
        Vec::new()
    }
    fn tensors(_: Vec<AnyTensor>) -> Result<(), Error> {
        Ok(())
    }
}

macro_rules! pairs {
    ($([$($generics:tt)*] $X:ty;)*) => { $(
        impl<'a, $($generics)*, D: Recordable<'a, Elem = T, Shape = S>> Directions<'a> for ($X, D) {
            type Gradients = Expr<'a, T, S>;
            fn variables(&self) -> Vec<AnyValue<'a>> {
                vec![self.0.recordable()]
            }
            fn optional(&self) -> Vec<bool> {
                vec![self.0.is_optional()]
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
    ($([$($generics:tt)*] $X:ty, $One:ty, |$pattern:pat_param| $one:ident;)*) => { $(
        impl<'a, $($generics)*> Variables<'a> for $X {
            type Gradients = Vec<Expr<'a, T, S>>;
            type Tensors = Vec<Tensor<T, S>>;
            fn variables(&self) -> Vec<AnyValue<'a>> {
                self.iter().map(|$pattern| <$One as Recordable<'a>>::recordable(&$one)).collect()
            }
            fn optional(&self) -> Vec<bool> {
                vec![false; self.len()]
            }
            fn gradients(values: Vec<AnyValue<'a>>) -> Result<Self::Gradients, Error> {
                values.into_iter().map(typed).collect()
            }
            fn values(recorded: &Self::Gradients) -> Vec<AnyValue<'a>> {
                recorded.iter().map(|one| one.recordable()).collect()
            }
            fn tensors(computed: Vec<AnyTensor>) -> Result<Self::Tensors, Error> {
                computed.into_iter().map(typed_tensor).collect()
            }
        }
    )* };
}
slices! {
    ['v, T: Element, S: Extents] &'v [Expr<'a, T, S>], &Expr<'a, T, S>, |one| one;
    [T: Element, S: Extents] &'a [Tensor<T, S>], &'a Tensor<T, S>, |one| one;
    ['v, T: Element, S: Extents] &'v [&'a Tensor<T, S>], &'a Tensor<T, S>, |&one| one;
}

/// Pairs of variables and their directions.
impl<'a, X: Recordable<'a>, D: Recordable<'a, Elem = X::Elem, Shape = X::Shape>> Directions<'a> for &[(X, D)] {
    type Gradients = Vec<Expr<'a, X::Elem, X::Shape>>;
    fn variables(&self) -> Vec<AnyValue<'a>> {
        self.iter().map(|(variable, _)| variable.recordable()).collect()
    }
    fn optional(&self) -> Vec<bool> {
        self.iter().map(|(variable, _)| variable.is_optional()).collect()
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
            type Tensors = ($(Tensor<$X::Elem, $X::Shape>,)*);
            fn variables(&self) -> Vec<AnyValue<'a>> {
                vec![$(self.$axis.recordable()),*]
            }
            fn optional(&self) -> Vec<bool> {
                vec![$(self.$axis.is_optional()),*]
            }
            fn values(recorded: &Self::Gradients) -> Vec<AnyValue<'a>> {
                vec![$((&recorded.$axis).recordable()),*]
            }
            fn tensors(computed: Vec<AnyTensor>) -> Result<Self::Tensors, Error> {
                let mut computed = computed.into_iter();
                Ok(($(typed_tensor::<$X::Elem, $X::Shape>(computed.next().expect("a tensor for each variable"))?,)*))
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
            fn optional(&self) -> Vec<bool> {
                vec![$(self.$axis.0.is_optional()),*]
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
