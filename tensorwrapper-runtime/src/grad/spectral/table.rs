//! Divided differences of a function that is known at places. Knows no matrix.

use std::sync::Arc;

use super::super::linear::without_slope;
use crate::expr::{Factorised, Source, Value};
use crate::link::Link;
use tensorwrapper_core::backend::Decomposition;
use tensorwrapper_core::backend::linear::Factorisation;
use tensorwrapper_core::error::{Error, ErrorKind};

/// Derivatives of the function that its divided differences of first and second order need.
pub(super) const DERIVATIVES: usize = 2;

/// A function at places: a column for its values and each of its derivatives, and a column of the places.
#[derive(Clone, Debug)]
pub(super) struct Table<'a> {
    pub(super) function: Link<Value<'a>>,
    pub(super) places: Link<Value<'a>>,
}

impl<'a> Table<'a> {
    /// The divided differences of that order, over the axes of the table and so many labels of states and one more.
    pub(super) fn differences(&self, order: usize) -> Result<Link<Value<'a>>, Error> {
        let [batch @ .., states, columns] = &self.function.extents[..] else { unreachable!("a table has rows and columns") };
        // Second derivatives are not known of functions of the program whose slope's slope was not given.
        if *columns <= order && *columns <= DERIVATIVES {
            return Err(without_slope());
        }
        if *columns <= order {
            let message = "the third derivative of a function of a matrix by its eigenvectors".to_string();
            return Err(Error::new(ErrorKind::Unsupported(message)));
        }
        let exponent = i32::try_from(order).expect("orders are small");
        let call = Decomposition::plain(Factorisation::Divided, batch.len(), [1, 1, 1, 0, order, 0]);
        let others = vec![*states; order];
        let extents = [batch, &[*states, *columns, 1], &others[..]].concat();
        let arguments = vec![Link::clone(&self.function), Link::clone(&self.places)];
        let call = Arc::new(Factorised { call: Decomposition { exponent, ..call }, extents, arguments });
        let extents = [batch, &[*states], &others[..]].concat();
        Ok(Link::new(Value { extents, dtype: self.function.dtype, source: Source::Factorised(call, 0) }))
    }
}
