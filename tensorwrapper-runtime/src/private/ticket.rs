//! The type and number of a result, for type checking an expansion. Knows nothing of how the result is computed.

use std::fmt;
use std::marker::PhantomData;

use crate::expr::Whole;

/// The number and the types of a result.
pub struct Ticket<T, S, F = Whole> {
    pub(super) number: usize,
    #[allow(clippy::type_complexity, reason = "three types and nothing else")]
    types: PhantomData<fn() -> (T, S, F)>,
}

impl<T, S, F> fmt::Debug for Ticket<T, S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ticket({})", self.number)
    }
}

impl<T, S, F> Ticket<T, S, F> {
    pub(super) fn new(number: usize) -> Self {
        Ticket { number, types: PhantomData }
    }

    /// The same tensor after another equation has written it.
    pub fn after(&self, number: usize) -> Ticket<T, S, F> {
        Ticket::new(number)
    }

    /// The shape type, for the compile-time checks.
    pub fn shape(&self) -> PhantomData<S> {
        PhantomData
    }

    /// The form, for the type of a result.
    pub fn form(&self) -> PhantomData<F> {
        PhantomData
    }

    /// The element type, for the compile-time checks.
    pub fn element(&self) -> PhantomData<T> {
        PhantomData
    }
}
