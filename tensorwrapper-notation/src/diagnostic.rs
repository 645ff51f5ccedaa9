//! What is wrong with an equation, where, and what to write instead.

use crate::token::Span;

/// The family of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The text is not in the language.
    Syntax,
    /// A label stands where it may not, or is missing where it must be.
    Label,
    /// In the language, but not in this version.
    Unbuilt,
}

/// One fault, or one warning.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// Its family.
    pub fault: Fault,
    /// The token at fault.
    pub span: Span,
    /// A sentence.
    pub message: String,
    /// What may be written instead.
    pub help: Option<String>,
    /// The same where the equation is written with operators, as `a.at("i,k") * b.at("k,j")`, if that is something else.
    pub operators: Option<String>,
}

impl Diagnostic {
    /// A fault without help.
    pub fn new(fault: Fault, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { fault, span, message: message.into(), help: None, operators: None }
    }

    /// A fault of syntax.
    pub(crate) fn syntax(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Fault::Syntax, span, message)
    }

    /// A fault of labels.
    pub(crate) fn label(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Fault::Label, span, message)
    }

    /// Refuses by name what the language has and this version has not.
    pub(crate) fn unbuilt(span: Span, what: impl std::fmt::Display) -> Diagnostic {
        Diagnostic::new(Fault::Unbuilt, span, format!("{what} is part of the language, but not of this version of tensorwrapper"))
    }

    /// The same with what to write instead.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// The same with what to write instead with operators.
    pub(crate) fn operators(mut self, help: impl Into<String>) -> Diagnostic {
        self.operators = Some(help.into());
        self
    }
}
