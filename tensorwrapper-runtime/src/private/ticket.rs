//! The type and number of a result, for type checking an expansion. Knows nothing of how the result is computed.

use std::fmt;
use std::marker::PhantomData;

/// The number and the types of a result.
pub struct Ticket<T, S> {
    pub(super) number: usize,
    types: PhantomData<fn() -> (T, S)>,
}

impl<T, S> fmt::Debug for Ticket<T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ticket({})", self.number)
    }
}

impl<T, S> Ticket<T, S> {
    pub(super) fn new(number: usize) -> Self {
        Ticket { number, types: PhantomData }
    }

    /// The same tensor after another equation has written it.
    pub fn after(&self, number: usize) -> Ticket<T, S> {
        Ticket::new(number)
    }

    /// The shape type, for the compile-time checks.
    pub fn shape(&self) -> PhantomData<S> {
        PhantomData
    }

    /// The element type, for the compile-time checks.
    pub fn element(&self) -> PhantomData<T> {
        PhantomData
    }
}
