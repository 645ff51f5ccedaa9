//! What a macro does when an equation fails at run time.

/// What a macro does when an equation fails at run time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failure {
    /// It panics, as indexing does.
    Panic,
    /// Its value is an `Err`.
    Return,
}
