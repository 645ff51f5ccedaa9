//! Which types of elements may stand in one equation. Knows no type.

use std::marker::PhantomData;

/// The type itself, for element types alone. What is derived from the type of an operand that is none is then of no type, and rustc reports
/// nothing but the operand.
#[doc(hidden)]
pub trait ElementOf {
    #[allow(missing_docs)]
    type Itself;
}

/// Element types that can be used in one equation: equal ones, and a complex one and its real one, whose elements become complex.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "elements of type `{Self}` and `{U}` do not mix in one equation",
    label = "elements of type `{U}`",
    note = "real operands join complex ones of their precision; nothing else is converted in silence: write `cast(…)` around what is to become \
            the equation's type"
)]
pub trait MixesWith<U> {
    /// The element type of the equation.
    type Mixed;
    /// Checks at compile time that two operands have elements that mix.
    fn check(_: Elements<Self, U>) -> PhantomData<Self::Mixed> {
        PhantomData
    }
}

/// Two element types in one value, so that rustc does not infer one from the other.
#[doc(hidden)]
#[derive(Debug)]
pub struct Elements<T: ?Sized, U>(pub PhantomData<T>, pub PhantomData<U>);
