//! Records one equation of the language from its text, with names instead of Rust values.
//!
//! Lexer, grammar and meaning are those of `tensor!`. Knows nothing of how equations are computed.

use num_complex::Complex;
use tensorwrapper_notation::syntax::{Hole, Invocation, Scalar, Target};
use tensorwrapper_notation::{Equation, OperandId, Use, check, lex, parse};

use super::bind::{Holes, bind_value};
use super::faults::{Notation, faults_to_error};
use super::value::{Expr, Tree, Value};
use crate::link::Link;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};

/// One equation in value form, from its text. All names are those of tensors and numbers.
///
/// # Errors
/// Faults of the language, and Rust expressions.
pub(crate) fn equation_of_text(text: &str) -> Result<Equation, Error> {
    let tokens = lex(text).map_err(|fault| faults_to_error(vec![fault], Notation::Text))?;
    let refuse = |what: &str| Err(Error::new(ErrorKind::Unsupported(format!("{what}, and this text is to be one equation"))));
    let statement = match parse(&tokens).map_err(|faults| faults_to_error(faults, Notation::Text))? {
        Invocation::Equation(statement) => statement,
        Invocation::Block(_) => return refuse("a block holds several equations"),
    };
    let equation = check(&statement, &[]).map_err(|faults| faults_to_error(faults, Notation::Text))?;
    if !matches!(statement.target, Target::Value(_)) {
        return refuse("only a left side such as `[i, j]` makes a value");
    }
    if equation.factorise().is_some() {
        return refuse("a decomposition has several results");
    }
    if !equation.functions().is_empty() || !equation.casts().is_empty() {
        return refuse("functions and element types of the program's have no names in a text");
    }
    if let Some(hole) = opaque(&equation) {
        let message = format!("`{}` is a Rust expression, which a text cannot hold", hole.text);
        return Err(Error::new(ErrorKind::Syntax { message, position: hole.span.start }));
    }
    Ok(equation)
}

/// Records an equation in value form; `tensor` and `number` know what names stand for.
///
/// # Errors
/// Faults of the language, unknown names, and Rust expressions.
pub(crate) fn read_text<'a, T: Element>(
    text: &str,
    tensor: &dyn Fn(&str) -> Option<Link<Value<'a>>>,
    number: &dyn Fn(&str) -> Option<Complex<f64>>,
) -> Result<Expr<'a, T>, Error> {
    let equation = equation_of_text(text)?;
    let unknown = |hole: &Hole| Err(Error::new(ErrorKind::Label(format!("nothing here is called `{}`", hole.text))));
    for operand in equation.operands() {
        if tensor(&operand.hole.text).is_none() {
            return unknown(&operand.hole);
        }
    }
    for scalar in equation.scalars() {
        let Scalar::Hole(hole) = scalar else { continue };
        match (number(&hole.text), tensor(&hole.text)) {
            (Some(_), _) => {}
            (None, None) => return unknown(hole),
            (None, Some(value)) if value.extents.is_empty() => {}
            (None, Some(value)) => {
                let kind = ErrorKind::Rank { operand: hole.text.clone(), rank: value.extents.len(), given: 0 };
                return Err(Error::new(kind));
            }
        }
    }
    bind_value(&equation, T::DTYPE, &Named { tensor, number }).map(Expr::new)
}

/// What names stand for, when every name is known.
struct Named<'n, 'a> {
    tensor: &'n dyn Fn(&str) -> Option<Link<Value<'a>>>,
    number: &'n dyn Fn(&str) -> Option<Complex<f64>>,
}

impl<'a> Holes<'a> for Named<'_, 'a> {
    fn tensor(&self, _: OperandId, hole: &Hole) -> Link<Value<'a>> {
        (self.tensor)(&hole.text).expect("every operand was found")
    }

    fn scalar(&self, hole: &Hole) -> Tree<'a> {
        match (self.number)(&hole.text) {
            Some(value) => Tree::Constant(value),
            None => Tree::Operand((self.tensor)(&hole.text).expect("every number was found"), Vec::new()),
        }
    }
}

/// A hole where this version binds literals only: extents, positions, ranges, exponents.
fn opaque(equation: &Equation) -> Option<&Hole> {
    let mut holes = equation.holes().into_iter();
    let is_literal_only = |role: &Use| match role {
        Use::Tensor | Use::Scalar => false,
        Use::Function | Use::Range | Use::Count | Use::Whole | Use::Real => true,
    };
    holes.find(|(_, role)| is_literal_only(role)).map(|(hole, _)| hole)
}
