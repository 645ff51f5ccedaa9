//! What the expansions of the macros call. Nothing here is for users, and nothing else is reachable from expansions.

mod given;
mod results;
pub mod straight;

use std::marker::PhantomData;

pub use tensorwrapper_notation::Function;
pub use tensorwrapper_notation::syntax::{Factorisation as Decomposition, Operator, Reduction};

pub use given::{Count, IndexRange, RealExponent, WholeExponent};
pub use results::*;
pub use straight::RecordInstead;

pub use crate::expr::{Factor, Index, IntoScalar, Node, Operand, Recorder, ScalarShape, ScalarValue, TensorLike, Written};
pub use crate::shape::{
    AxisByType, AxisByValue, AxisPair, CompareAtRunTime, Compared, LaterPair, LocateAtRunTime, Located, Mark, Position,
    check_rank, mark_axis, meet,
};

use crate::element::Element;
use crate::error::Error;
use crate::exec::Context;
use crate::expr::Expr;
use crate::shape::{Extent, Extents, Shape};

/// Element types that may meet in one equation: equal ones.
#[diagnostic::on_unimplemented(
    message = "elements of type `{Self}` and `{U}` do not mix in one equation",
    label = "elements of type `{U}`",
    note = "convert one of the tensors first: nothing is converted in silence"
)]
pub trait MixesWith<U> {
    /// Checks at compile time that two operands have elements of one type.
    fn check(_: Elements<Self, U>) {}
}
impl<T: Element> MixesWith<T> for T {}

/// Two element types. One value of settled type, because rustc would infer the one from the other.
#[derive(Debug)]
pub struct Elements<T: ?Sized, U>(pub PhantomData<T>, pub PhantomData<U>);

/// The element type of eigenvalues.
pub fn real<T: Element>(_: PhantomData<T>) -> PhantomData<T::Real> {
    PhantomData
}

/// What a label is. A name that is a constant in scope is none, and rustc says so where it is bound to this.
#[derive(Debug)]
pub struct Label;

/// A block's own result as an operand of a later equation; unlike a given tensor, it may leave the block.
pub fn local<'a, T: Element, S: Extents>(expr: &Expr<'a, T, S>) -> Operand<'a, T, S> {
    Operand::recorded(expr)
}

/// A block's own result as a number of a later equation.
pub fn local_scalar<'a, T: Element, S: ScalarShape>(_: PhantomData<T>, expr: &Expr<'a, T, S>) -> ScalarValue<'a> {
    ScalarValue::recorded(expr)
}

/// Starts the recording of an equation over elements of one type.
pub fn recorder<'n, T: Element>(_: PhantomData<T>, labels: &[&'n str]) -> Recorder<'n> {
    Recorder::new::<T>(labels)
}

/// The shape type that a tuple of marks makes.
pub trait Marks {
    /// The shape type.
    type Shape: Extents;
}

/// The mark of more axes than tuples have: the rank is known at run time.
#[derive(Debug)]
pub struct Unranked;

impl Marks for Unranked {
    type Shape = Shape;
}

macro_rules! marks {
    ($($($E:ident)*;)*) => { $(
        impl<$($E: Extent),*> Marks for ($(Mark<$E>,)*) {
            type Shape = ($($E,)*);
        }
    )* };
}
marks! {
    ;
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
    A B C D E F G H I;
    A B C D E F G H I J;
    A B C D E F G H I J K;
    A B C D E F G H I J K L;
    A B C D E F G H I J K L M;
    A B C D E F G H I J K L M N;
    A B C D E F G H I J K L M N O;
    A B C D E F G H I J K L M N O P;
}

/// Ends an equation: its recording, typed.
pub fn finish<'a, T: Element, M: Marks>(
    recorder: Recorder<'_>,
    node: Node<'a>,
    axes: &[Index<'_>],
    _: PhantomData<T>,
    _: M,
) -> Result<Expr<'a, T, M::Shape>, Error> {
    recorder.finish(node, axes)
}

/// Ends an equation that writes into the tensor `target`.
pub fn finish_write<'a, T: Element, S: Extents>(
    recorder: Recorder<'_>,
    node: Node<'a>,
    axes: &[Index<'_>],
    _target: &Operand<'a, T, S>,
    place: Node<'a>,
) -> Result<Written<'a, T, S>, Error> {
    recorder.finish_write(node, axes, place)
}

/// Types one result of a decomposition.
pub fn typed<'a, T: Element, M: Marks>(factor: Factor<'a>, _: PhantomData<T>, _: M) -> Expr<'a, T, M::Shape> {
    factor.typed()
}

/// The context of blocks that name none.
pub fn default_context() -> &'static Context {
    Context::global()
}

/// The value, or a panic with the error's sentences at the caller's line.
///
/// # Panics
/// On an error.
#[track_caller]
pub fn unwrap<V>(result: Result<V, Error>) -> V {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}
