//! What the expansions of the macros call. Nothing here is for users, and nothing else is reachable from expansions.

mod block;
mod given;
mod results;
pub mod straight;

use std::marker::PhantomData;

pub use block::{Block, Recipe, Site, Tensor, Ticket, begin, local_scalar};
/// The primitive types, whatever the program calls by their names.
pub use core::primitive::{bool, f64, usize};

pub use given::{Count, IndexRange, RealExponent, WholeExponent};
pub use results::*;
pub use straight::RecordInstead;

pub use crate::expr::{IntoScalar, Operand, ScalarShape, ScalarValue, TensorLike};
pub use crate::shape::{AxisPair, Compared, LaterPair, Located, Mark, Position, check_rank, mark_axis, meet};

/// The traits whose methods the compile-time checks call.
pub mod checks {
    pub use crate::shape::{AxisByType as _, AxisByValue as _, CompareAtRunTime as _, LocateAtRunTime as _};
}

use crate::element::Element;
pub use crate::error::Error;
pub use crate::exec::record_text;

use crate::exec::Context;
pub use crate::shape::Const;
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

/// The result of an equation, typed; `number` counts the results of its block.
pub fn ticket<T: Element, M: Marks>(_: PhantomData<T>, _: M, number: usize) -> Ticket<T, M::Shape> {
    Ticket::new(number)
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
