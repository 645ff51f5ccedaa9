//! Converts subscripts and numbered labels to equations of the language, whose operands are identified by position.

use tensorwrapper_notation::syntax::{Hole, Statement};
use tensorwrapper_notation::{Equation, OperandId, check, contraction, einsum as parse_einsum, numbered_operands};

use super::operands::DynOperand;
use crate::expr::{Holes, Notation, Tree, Value, bind_value, faults_to_error};
use crate::link::Link;
use tensorwrapper_core::Numeric;
use tensorwrapper_core::error::Error;

/// The statement of subscripts over this number of operands.
pub(super) fn subscripts_statement(subscripts: &str, operands: usize) -> Result<Statement, Error> {
    parse_einsum(subscripts, &numbered_operands(operands), None)
        .map_err(|fault| faults_to_error(vec![fault], Notation::Subscripts))
}

/// The statement of a product whose labels are numbers.
pub(super) fn labels_statement<T>(operands: &[(&dyn DynOperand<T>, &[usize])], output: &[usize]) -> Result<Statement, Error> {
    let labels: Vec<&[usize]> = operands.iter().map(|(_, labels)| *labels).collect();
    contraction(&labels, output).map_err(|fault| faults_to_error(vec![fault], Notation::Subscripts))
}

/// Checks a statement whose operands are identified by position.
pub(super) fn checked(statement: &Statement) -> Result<Equation, Error> {
    check(statement, &[]).map_err(|faults| faults_to_error(faults, Notation::Subscripts))
}

/// The value of an equation whose operands are identified by position.
pub(super) fn product<'a, T: Numeric>(equation: &Equation, values: &[Link<Value<'a>>]) -> Result<Link<Value<'a>>, Error> {
    bind_value(equation, T::COMPUTED, &Listed(values))
}

/// Operands that are known by their positions.
struct Listed<'l, 'a>(&'l [Link<Value<'a>>]);

impl<'a> Holes<'a> for Listed<'_, 'a> {
    fn tensor(&self, _: OperandId, hole: &Hole) -> Link<Value<'a>> {
        Link::clone(&self.0[hole.span.start])
    }

    fn scalar(&self, _: &Hole) -> Tree<'a> {
        unreachable!("these doors have no scalars")
    }
}
