//! What is made before an equation in place of an index that it cannot have: how the result is called, made and read.

use super::places::{Place, has_word};
use crate::token::Token;

/// What a result before the statement is called.
pub(super) fn result_of(statement: &[Token]) -> &'static str {
    if has_word(statement, "b") { "taken" } else { "b" }
}

/// What a method before the equation takes elements from, as far as it is known.
pub(super) struct Source {
    operand: String,
    axis: Option<usize>,
    /// What the result is called.
    name: &'static str,
    /// How it is read in the equation.
    read: Option<String>,
}

impl Source {
    pub(super) fn of(here: &Place<'_>, label: &str, name: &'static str) -> Source {
        Source { operand: here.operand(), axis: here.axis(), name, read: Some(here.of(name, label)) }
    }

    /// Where nothing is known of the operand.
    pub(super) fn unknown() -> Source {
        Source { operand: "a".into(), axis: None, name: "b", read: None }
    }

    /// The same, with other indices of the result.
    pub(super) fn read_as(self, indices: &str) -> Source {
        Source { read: Some(format!("{}[{indices}]", self.name)), ..self }
    }

    /// The axis as an argument.
    pub(super) fn axis(&self) -> String {
        self.axis.map_or("axis".into(), |axis| axis.to_string())
    }

    /// The help, whose sentence begins with what the methods do.
    pub(super) fn told(&self, what: &str, methods: &str) -> String {
        let read = self.read.as_ref().map_or(String::new(), |read| format!(", and the equation reads `{read}`"));
        format!("{what} before the equation, `let {} = {}{methods};`{read}{}", self.name, self.operand, self.number())
    }

    /// The help for what an equation writes: it is written into a view of the tensor.
    pub(super) fn written(&self, what: &str, methods: &str) -> String {
        let read = self.read.as_ref().map_or(String::new(), |read| format!(", as `{read} = …`"));
        format!("{what}, `let mut {} = {}.view_mut(){methods};`{read}{}", self.name, self.operand, self.number())
    }

    fn number(&self) -> &'static str {
        if self.axis.is_none() { "; `axis` is the number of the axis" } else { "" }
    }
}
