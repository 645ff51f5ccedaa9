//! What goes into rules and comes out of them.

use super::super::build::reshaped;
use crate::expr::Value;
use crate::link::Link;
use tensorwrapper_core::error::{Error, ErrorKind};

/// Weights or changes of the arguments or results of an operation, those that there are.
pub(in super::super) type Parts<'a> = Vec<Option<Link<Value<'a>>>>;

/// The same with the extents of these values: rules see one axis for each role, where a recording may have several.
pub(super) fn alike<'a>(parts: &Parts<'a>, values: &[Link<Value<'a>>]) -> Parts<'a> {
    let one =
        |(part, value): (&Option<Link<Value<'a>>>, &Link<Value<'a>>)| part.as_ref().map(|part| reshaped(part, &value.extents));
    parts.iter().zip(values).map(one).collect()
}

/// The error for what has no derivative.
pub(super) fn no_derivative(of: &str) -> Error {
    Error::new(ErrorKind::Unsupported(format!("the derivative of {of}")))
}
