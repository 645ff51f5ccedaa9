//! What a derivative can be taken by, with the types of the results.

use crate::expr::{Expr, Recordable};
use crate::structs::{RecordedTensors, Tensors, links};
use crate::tensor::{Tensor, TensorRef};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::shape::{Extents, Shape};
use tensorwrapper_notation::sentence::counted;

/// Variables of a derivative: recorded results, tensors and views that the recording reads, [structs](Tensors) of tensors, tuples of
/// such up to eight, and slices.
///
/// A tensor is a variable wherever the recording reads it. A recorded result is held constant against nothing: the derivative by it is
/// that of everything that uses it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no variable of a derivative",
    label = "not a variable",
    note = "a variable is a reference to a recorded result, a tensor, a view or a struct with `#[derive(Tensors)]`, or a tuple of such"
)]
pub trait Variables<'a> {
    /// The derivatives, each a recorded value of its variable's type and shape.
    type Gradients: RecordedTensors<'a, Tensors = Self::Tensors>;
    /// Computed tensors of the same types and shapes.
    type Tensors;
    /// The variables themselves, as recorded values.
    #[doc(hidden)]
    fn variables(&self) -> Self::Gradients;
    /// Which of them may have no influence.
    #[doc(hidden)]
    fn optional(&self) -> Vec<bool> {
        vec![false; links(&self.variables()).len()]
    }
}

/// Variables, each with the direction in which it changes: tuples `(&x, &dx)`, and tuples of them up to eight.
#[diagnostic::on_unimplemented(
    message = "a direction has another shape or other elements than its variable, or these are no variables with directions: `{Self}`",
    label = "each variable stands with a direction of its shape, as in `((&x, &dx), (&y, &dy))`"
)]
pub trait Directions<'a> {
    /// The derivatives of a gradient along the directions, each of its variable's type and shape.
    type Gradients: RecordedTensors<'a>;
    #[doc(hidden)]
    fn variables(&self) -> Self::Gradients;
    #[doc(hidden)]
    fn optional(&self) -> Vec<bool>;
    #[doc(hidden)]
    fn directions(&self) -> Result<Self::Gradients, Error>;
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
    note = "record its real part: `cast(f64; re(…))`"
)]
pub trait RealNumber: Element<Real = Self> {}
impl RealNumber for f32 {}
impl RealNumber for f64 {}

/// A variable that the value need not depend on.
#[derive(Clone, Copy, Debug)]
pub struct OrZero<X>(X);

/// A variable of a derivative that the value need not depend on: the derivative by it is zero then, where it would be an error.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{Tensor, or_zero};
/// let x = Tensor::<f64>::filled([2], 3.0)?;
/// let other = Tensor::<f64>::filled([2], 1.0)?;
/// let loss = (x.at("i") * x.at("i")).record("")?;
/// assert!(loss.grad((&x, &other)).is_err());
/// let (by_x, by_other) = loss.grad((&x, or_zero(&other)))?;
/// assert_eq!(by_x.eval()?.as_slice(), [6.0, 6.0]);
/// assert_eq!(by_other.eval()?.as_slice(), [0.0, 0.0]);
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
pub fn or_zero<'a, X: Variables<'a>>(variables: X) -> OrZero<X> {
    OrZero(variables)
}

impl<'a, X: Variables<'a>> Variables<'a> for OrZero<X> {
    type Gradients = X::Gradients;
    type Tensors = X::Tensors;
    fn variables(&self) -> X::Gradients {
        self.0.variables()
    }
    fn optional(&self) -> Vec<bool> {
        vec![true; links(&self.variables()).len()]
    }
}

macro_rules! single {
    ($([$($generics:tt)*] $X:ty;)*) => { $(
        impl<'a, $($generics)*> Variables<'a> for $X {
            type Gradients = Expr<'a, T, S>;
            type Tensors = Tensor<T, S>;
            fn variables(&self) -> Expr<'a, T, S> {
                Expr::new(self.recordable().0)
            }
        }
        impl<'a, $($generics)*, D: Recordable<'a, Elem = T, Shape = S>> Directions<'a> for ($X, D) {
            type Gradients = Expr<'a, T, S>;
            fn variables(&self) -> Expr<'a, T, S> {
                Variables::variables(&self.0)
            }
            fn optional(&self) -> Vec<bool> {
                vec![false]
            }
            fn directions(&self) -> Result<Expr<'a, T, S>, Error> {
                along(&Variables::variables(&self.0), Expr::new(self.1.recordable().0))
            }
        }
    )* };
}
single! {
    ['v, T: Element, S: Extents] &'v Expr<'a, T, S>;
    [T: Element, S: Extents] &'a Tensor<T, S>;
    ['v, T: Element, S: Extents] &'a TensorRef<'v, T, S>;
}

/// Directions, which must have the extents of their variables.
fn along<'a, R: RecordedTensors<'a>>(variables: &R, directions: R) -> Result<R, Error> {
    let (of, by) = (links(variables), links(&directions));
    if of.len() != by.len() {
        let message = format!("a variable has {}, but its direction has {}", counted(of.len(), "tensor"), by.len());
        return Err(Error::new(ErrorKind::Shape(message)));
    }
    match of.iter().zip(&by).find(|(variable, direction)| variable.extents != direction.extents) {
        None => Ok(directions),
        Some((variable, direction)) => {
            let message = format!("a variable has extents {:?}, but its direction {:?}", variable.extents, direction.extents);
            Err(Error::new(ErrorKind::Shape(message)))
        }
    }
}

/// A struct whose fields are variables: one of tensors, or the recorded form of it.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no variable of a derivative",
    label = "not a variable",
    note = "a variable is a reference to a recorded result, a tensor, a view or a struct with `#[derive(Tensors)]`, or a tuple of such"
)]
pub trait VariableStruct<'v, 'a> {
    type Recorded: RecordedTensors<'a>;
    fn recorded(&'v self) -> Self::Recorded;
}

#[diagnostic::do_not_recommend]
impl<'a, X: Tensors> VariableStruct<'a, 'a> for X {
    type Recorded = X::Recorded<'a>;
    fn recorded(&'a self) -> X::Recorded<'a> {
        crate::structs::Member::recorded(self)
    }
}

#[diagnostic::do_not_recommend]
impl<'v, 'a, X: VariableStruct<'v, 'a>> Variables<'a> for &'v X {
    type Gradients = X::Recorded;
    type Tensors = <X::Recorded as RecordedTensors<'a>>::Tensors;
    fn variables(&self) -> X::Recorded {
        X::recorded(self)
    }
}

#[diagnostic::do_not_recommend]
impl<'v, 'a, X: VariableStruct<'v, 'a>, D: Variables<'a, Gradients = X::Recorded>> Directions<'a> for (&'v X, D) {
    type Gradients = X::Recorded;
    fn variables(&self) -> X::Recorded {
        X::recorded(self.0)
    }
    fn optional(&self) -> Vec<bool> {
        Variables::optional(&self.0)
    }
    fn directions(&self) -> Result<X::Recorded, Error> {
        along(&X::recorded(self.0), self.1.variables())
    }
}

impl<'a, X: Variables<'a> + Clone, D: Clone> Directions<'a> for (OrZero<X>, D)
where
    (X, D): Directions<'a>,
{
    type Gradients = <(X, D) as Directions<'a>>::Gradients;
    fn variables(&self) -> Self::Gradients {
        (self.0.0.clone(), self.1.clone()).variables()
    }
    fn optional(&self) -> Vec<bool> {
        self.0.optional()
    }
    fn directions(&self) -> Result<Self::Gradients, Error> {
        (self.0.0.clone(), self.1.clone()).directions()
    }
}

macro_rules! slices {
    ($([$($generics:tt)*] $X:ty, |$pattern:pat_param| $one:ident;)*) => { $(
        impl<'a, $($generics)*> Variables<'a> for $X {
            type Gradients = Vec<Expr<'a, T, S>>;
            type Tensors = Vec<Tensor<T, S>>;
            fn variables(&self) -> Self::Gradients {
                self.iter().map(|$pattern| Variables::variables(&$one)).collect()
            }
        }
    )* };
}
slices! {
    ['v, T: Element, S: Extents] &'v [Expr<'a, T, S>], |one| one;
    [T: Element, S: Extents] &'a [Tensor<T, S>], |one| one;
    ['v, T: Element, S: Extents] &'v [&'a Tensor<T, S>], |&one| one;
}

/// Pairs of variables and their directions.
impl<'a, X, D> Directions<'a> for &[(X, D)]
where
    (X, D): Directions<'a>,
{
    type Gradients = Vec<<(X, D) as Directions<'a>>::Gradients>;
    fn variables(&self) -> Self::Gradients {
        self.iter().map(Directions::variables).collect()
    }
    fn optional(&self) -> Vec<bool> {
        self.iter().flat_map(Directions::optional).collect()
    }
    fn directions(&self) -> Result<Self::Gradients, Error> {
        self.iter().map(Directions::directions).collect()
    }
}

/// No variables, for functions that have no parameters.
impl<'a> Variables<'a> for () {
    type Gradients = ();
    type Tensors = ();
    fn variables(&self) {}
}

macro_rules! tuples {
    ($($($X:ident $D:ident $axis:tt)*;)*) => { $(
        impl<'a, $($X: Variables<'a>),*> Variables<'a> for ($($X,)*) {
            type Gradients = ($($X::Gradients,)*);
            type Tensors = ($($X::Tensors,)*);
            fn variables(&self) -> Self::Gradients {
                ($(self.$axis.variables(),)*)
            }
            fn optional(&self) -> Vec<bool> {
                [$(self.$axis.optional()),*].concat()
            }
        }
        impl<'a, $($X, $D),*> Directions<'a> for ($(($X, $D),)*)
        where
            $(($X, $D): Directions<'a>),*
        {
            type Gradients = ($(<($X, $D) as Directions<'a>>::Gradients,)*);
            fn variables(&self) -> Self::Gradients {
                ($(self.$axis.variables(),)*)
            }
            fn optional(&self) -> Vec<bool> {
                [$(self.$axis.optional()),*].concat()
            }
            fn directions(&self) -> Result<Self::Gradients, Error> {
                Ok(($(self.$axis.directions()?,)*))
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
