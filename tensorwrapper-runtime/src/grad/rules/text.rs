//! Records equations of rules from their text. Lexer, grammar and meaning are those of the language.

use tensorwrapper_notation::syntax::{Hole, Invocation};
use tensorwrapper_notation::{OperandId, check, lex, parse};

use crate::expr::{Bound, Holes, Tree, Value, bind};
use crate::link::Link;
use tensorwrapper_core::error::Error;

/// The results of an equation over named values, all of one element type. `..` stands for that many labels of a batch.
///
/// # Errors
/// Extents that do not fit, which a recorded operation has checked.
///
/// # Panics
/// When the text of a rule is wrong.
pub(super) fn record<'a>(text: &str, batch: usize, values: &[(&str, &Link<Value<'a>>)]) -> Result<Vec<Link<Value<'a>>>, Error> {
    let labels: String = (0..batch).map(|n| format!("b{n}, ")).collect();
    let text = text.replace("[..", &format!("[{labels}")).replace(", ]", "]");
    let tokens = lex(&text).expect("the text of a rule is made of tokens");
    let Ok(Invocation::Equation(statement)) = parse(&tokens) else { panic!("`{text}` is no equation") };
    let equation = check(&statement, &[]).unwrap_or_else(|faults| panic!("`{text}`: {faults:?}"));
    let dtype = values[0].1.dtype;
    match bind(&equation, dtype, &Named(values))? {
        Bound::Results(results) => Ok(results),
        Bound::Write(_) => unreachable!("a rule writes nothing"),
    }
}

struct Named<'n, 'a>(&'n [(&'n str, &'n Link<Value<'a>>)]);

impl<'a> Named<'_, 'a> {
    fn find(&self, hole: &Hole) -> Link<Value<'a>> {
        let found = self.0.iter().find(|(name, _)| *name == hole.text);
        Link::clone(found.unwrap_or_else(|| panic!("a rule reads `{}`", hole.text)).1)
    }
}

impl<'a> Holes<'a> for Named<'_, 'a> {
    fn tensor(&self, _: OperandId, hole: &Hole) -> Link<Value<'a>> {
        self.find(hole)
    }

    fn scalar(&self, hole: &Hole) -> Tree<'a> {
        Tree::Operand(self.find(hole), Vec::new())
    }
}
