//! The functions and types that expansions of the macros use. Nothing here is for users, and expansions use nothing else.

mod block;
#[cfg(feature = "cuda")]
pub mod cuda;
mod evaluator;
mod mask;
pub mod memory;
mod numbers;
mod results;
mod site;
pub mod static_expr;
mod ticket;

use std::marker::PhantomData;

pub use block::{Block, begin, dtype, local_scalar};
#[doc(no_inline)]
pub use core::option::Option::{None, Some};
/// The primitive types, even if the program gives their names to other types.
pub use core::primitive::{bool, f64, usize};
#[doc(no_inline)]
pub use core::result::Result::{Err, Ok};
pub use evaluator::{Computes, Recorded};
pub use site::{CallSite, Recipe, Tensor};
pub use ticket::Ticket;

pub use numbers::{Count, IndexRange, RealExponent, WholeExponent};
pub use results::*;
pub use static_expr::RecordInstead;

/// What the derive of structs of tensors uses.
pub mod structs {
    pub use crate::expr::AnyValue;
    pub use crate::grad::VariableStruct;
    pub use crate::structs::{HasElements, Member, Name, Queue, RecordedTensors, Saved, Tensors, Visitor};
    pub use crate::tensor::{AnyTensor, TensorMut};
    pub use tensorwrapper_core::element::Element;
    pub use tensorwrapper_core::error::Error;
}

pub use crate::expr::{Form, InLayers, Truth, Whole};
pub use crate::expr::{IntoScalar, Operand, PassedAsScalar, ScalarShape, ScalarValue, TensorLike};
pub use tensorwrapper_core::internal::map_function::{
    Accepted, Excused, MapFunction, Refused, Repeated, Resolved, Shared, Sharing, Unshared, called, candidate, unwritten,
};
pub use tensorwrapper_core::shape::{
    AxisPair, Compared, Divided, Division, GivenIndices, LaterPair, Located, Mark, Minimum, Position, Product, Quotient,
    check_rank, mark_axes, meet,
};

// The macros write these names up to the numbers here (`expand/named.rs` of the macros).
macro_rules! indices {
    ($($name:ident = $count:literal;)*) => { $(
        /// An operand is given so many indices.
        pub const $name: GivenIndices<$count> = GivenIndices;
    )* };
}
indices! {
    INDICES_0 = 0;
    INDICES_1 = 1;
    INDICES_2 = 2;
    INDICES_3 = 3;
    INDICES_4 = 4;
    INDICES_5 = 5;
    INDICES_6 = 6;
    INDICES_7 = 7;
    INDICES_8 = 8;
}

/// The traits whose methods the compile-time checks and the reading of operands call.
pub mod checks {
    pub use crate::expr::{ReadMask as _, ReadOperand as _};
    pub use tensorwrapper_core::internal::map_function::{RefuseFunction as _, RefuseSharing as _};
    pub use tensorwrapper_core::shape::{
        AxesByType as _, AxesByValue as _, CompareAtRunTime as _, DivideAtRunTime as _, LocateAtRunTime as _,
        MinimumAtRunTime as _, ProductAtRunTime as _, QuotientAtRunTime as _,
    };
}

use crate::exec::Context;
use crate::grad::RealNumber;
use tensorwrapper_core::Numeric;
use tensorwrapper_core::element::{CastInto, Element};
pub use tensorwrapper_core::element::{Elements, MixesWith};
pub use tensorwrapper_core::error::Error;
pub use tensorwrapper_core::shape::Const;
use tensorwrapper_core::shape::{Extent, Extents, Shape};

/// Element types of results and of the tensors that they are written into: they must be equal.
#[diagnostic::on_unimplemented(
    message = "elements of type `{Self}` are not written into a tensor of `{U}`",
    label = "elements of type `{Self}`",
    note = "complex numbers have real parts: write `cast(re(…))`, or `im` or `abs`"
)]
pub trait WrittenInto<U> {
    /// Checks at compile time that results can be written.
    fn check(_: Elements<Self, U>) {}
}
impl<T: Numeric> WrittenInto<T> for T {}

/// Element types with numbers between the whole ones, which division, most functions, derivatives and linear algebra need.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no fractions",
    label = "this needs numbers with fractions",
    note = "integers are added, subtracted, multiplied, compared and chosen; convert them where they are read, as in `exp(cast(f64; A[i]))`, or \
            as whole tensors, `a.cast::<f64>()?`"
)]
pub trait Fractional {
    /// Checks at compile time that it has them.
    fn check(_: PhantomData<Self>) {}
}
#[diagnostic::do_not_recommend]
impl<T: Element> Fractional for T {}

/// Pairs of element types between which an equation can cast.
#[diagnostic::on_unimplemented(
    message = "elements of type `{T}` are not cast to `{U}`",
    label = "a cast of `{T}` to `{U}`",
    note = "complex numbers have real parts: write `cast(re(…))`, or `im` or `abs`; numbers become integers as whole tensors alone, \
            `a.cast::<i64>()?`; in generic code, `T: Element + CastInto<U>`"
)]
pub trait Casts<T, U> {
    /// Checks at compile time that there is a cast from the first type to the second.
    fn check(_: Elements<T, U>) {}
}
#[diagnostic::do_not_recommend]
impl<U: Element, T: CastInto<U>> Casts<T, U> for () {}

/// Element types of numbers that have gradients with elements of a type.
#[diagnostic::on_unimplemented(
    message = "a number of type `{Self}` has no gradient in an equation over `{U}`",
    label = "a number of type `{Self}`",
    note = "the gradient of a real number has the elements of its variable; of a complex number take a part: `cast(re(…))`; integers have no derivatives"
)]
pub trait HasGradient<U> {
    /// Checks at compile time that a number is real, and that its type is that of the real parts of the gradient.
    fn check(_: Elements<Self, U>) {}
}
#[diagnostic::do_not_recommend]
impl<T: RealNumber, U: Element<Real = T>> HasGradient<U> for T {}

/// The element type of absolute values, and of Hermitian matrices' eigenvalues.
pub fn real<T: Element>(_: PhantomData<T>) -> PhantomData<T::Real> {
    PhantomData
}

/// The complex element type of that precision.
pub fn complex<T: Element>(_: PhantomData<T>) -> PhantomData<T::Complex> {
    PhantomData
}

/// The type of a label whose name is new. It has no values, because labels are checked in code that never runs.
#[derive(Debug)]
pub enum Fresh {}

/// What an expansion binds to a tuple of names of labels. A new name takes any type; that of a constant compares with the constant, and so
/// has the constant's type.
///
/// # Panics
/// Always: it is called where nothing runs.
pub fn labels<T>() -> T {
    unreachable!("labels have no values")
}

/// The type that the name of a label has.
#[derive(Debug)]
pub struct Label<T>(pub T);

/// Labels whose names are new. Those of constants would be labels all the same, and summed unexpectedly.
#[diagnostic::on_unimplemented(
    message = "a label is a new name, and this is the name of a constant",
    label = "a constant of this name is in scope",
    note = "the value of a constant `K` stands in braces: `A[{{ K }}, j]`, `where i: {{ K }}`; if a label is meant, give it another name"
)]
pub trait IsNewName: Sized {
    /// Checks at compile time that a name is new. There is one implementation, so that rustc gives an unused name its type.
    fn check(_: Self) {}
}
#[diagnostic::do_not_recommend]
impl IsNewName for Label<Fresh> {}

/// The shape type that a tuple of marks makes.
pub trait Marks {
    /// The shape type.
    type Shape: Extents;
}

/// The mark of a result with more axes than tuples support: its rank is known only at run time.
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
pub fn ticket<T: Numeric, M: Marks, F: Form>(
    _: PhantomData<T>,
    _: M,
    _: PhantomData<F>,
    number: usize,
) -> Ticket<T, M::Shape, F> {
    Ticket::new(number)
}

/// Truth values of the program, made ready for the context that reads them.
pub fn mask<'a, E: Evaluator, S>(_: &E, mask: Operand<'a, f32, S, Truth>) -> E::Mask<'a, S> {
    E::mask(mask)
}

/// The result of a comparison, which is dense, whatever is compared.
pub fn truth<T, S, F>(result: Ticket<T, S, F>) -> Ticket<T, S, Truth> {
    Ticket::new(result.number)
}

/// The form of a result of operands in the known form and in that of another operand.
pub fn joined<F: Form, T, S, G: Form>(_: PhantomData<F>, _: &Ticket<T, S, G>) -> PhantomData<F::With<G>> {
    PhantomData
}

/// The context of blocks that do not name one.
pub fn default_context() -> &'static Context {
    Context::global()
}

/// The identity of types, which rustc does not resolve early. So a type error is reported at the value of the macro, not at the
/// argument of [`value`].
pub trait Itself {
    /// The type.
    type Itself;
}
impl<V> Itself for V {
    type Itself = V;
}

/// The value of an invocation. A warning is reported if it is not used.
#[must_use = "the equation computes a value, and nothing else"]
pub const fn value<V>(value: V) -> <V as Itself>::Itself {
    value
}

/// What an invocation has computed, or the fault of its equations.
pub trait Outcome {
    /// What is computed.
    type Computed;
    /// What is computed. Panics with the fault's message at the caller's line.
    #[track_caller]
    fn computed(self) -> Self::Computed;
}
#[diagnostic::do_not_recommend]
impl<V> Outcome for Result<V, Error> {
    type Computed = V;
    #[inline]
    #[track_caller]
    fn computed(self) -> V {
        unwrap(self)
    }
}

/// The value of an invocation that has no fault any more. Results of equations over static tensors are large, and not moved through another
/// type.
#[derive(Debug)]
pub struct Ready<V>(pub V);
#[diagnostic::do_not_recommend]
impl<V> Outcome for Ready<V> {
    type Computed = V;
    #[inline(always)]
    fn computed(self) -> V {
        self.0
    }
}

/// Computes what an invocation computes. rustc reports it by this name where only a `const fn` may be called.
///
/// # Panics
/// On a fault of the equations.
#[inline(always)]
#[track_caller]
pub fn equations_are_computed_at_run_time<C: Outcome>(compute: impl FnOnce() -> C) -> C::Computed {
    compute().computed()
}

/// The same with the fault as a value.
///
/// # Errors
/// That of the equations.
#[inline(always)]
pub fn equations_are_tried_at_run_time<V>(compute: impl FnOnce() -> Result<V, Error>) -> Result<V, Error> {
    compute()
}

/// The value of a result. Panics with the error's message at the caller's line if it is an error.
///
/// # Panics
/// On an error.
#[track_caller]
#[inline]
pub fn unwrap<V>(result: Result<V, Error>) -> V {
    // Nothing of a failure is compiled in the program's own code.
    #[cold]
    #[inline(never)]
    #[track_caller]
    fn fail(error: Error) -> ! {
        panic!("{error}")
    }
    match result {
        Ok(value) => value,
        Err(error) => fail(error),
    }
}
