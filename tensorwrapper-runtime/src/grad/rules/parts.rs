//! What goes into rules and comes out of them.

use crate::expr::Value;
use crate::link::Link;
use tensorwrapper_core::error::{Error, ErrorKind};

/// Weights or changes of the arguments or results of an operation, those that there are.
pub(in super::super) type Parts<'a> = Vec<Option<Link<Value<'a>>>>;

/// The error for what has no derivative.
pub(super) fn no_derivative(of: &str) -> Error {
    Error::new(ErrorKind::Unsupported(format!("the derivative of {of}")))
}
