//! What is wrong with an equation, where it is wrong, and what to write instead.

use crate::token::Span;

/// The family of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The text is not in the language.
    Syntax,
    /// A label is where it may not be, or is missing where it must be.
    Label,
    /// A construct that the language has, but this version does not.
    Unbuilt,
}

/// What a warning is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Warning {
    /// A label occurs once, and so is summed.
    #[default]
    ImplicitSum,
    /// The labels of a `solve` say that its matrix is transposed.
    TransposedMatrix,
}

impl Warning {
    /// Its name, which rustc prints.
    pub fn name(self) -> &'static str {
        match self {
            Warning::ImplicitSum => "implicit_sum",
            Warning::TransposedMatrix => "transposed_matrix",
        }
    }
}

/// One fault, or one warning.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// Its family.
    pub fault: Fault,
    /// What it is about, if it is a warning.
    pub warning: Warning,
    /// The place of the token at fault.
    pub span: Span,
    /// What is wrong, as one sentence.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
    /// What to write instead if the equation is written with operators, as in `a.at("i,k") * b.at("k,j")`, and this differs from `help`.
    pub operators: Option<String>,
}

impl Diagnostic {
    /// A fault without help.
    pub fn new(fault: Fault, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { fault, warning: Warning::default(), span, message: message.into(), help: None, operators: None }
    }

    /// A fault of syntax.
    pub(crate) fn syntax(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Fault::Syntax, span, message)
    }

    /// A fault of labels.
    pub(crate) fn label(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Fault::Label, span, message)
    }

    /// A fault for a construct that the language has, but this version does not.
    pub(crate) fn unbuilt(span: Span, what: impl std::fmt::Display) -> Diagnostic {
        Diagnostic::new(Fault::Unbuilt, span, format!("{what} is part of the language, but not of this version of tensorwrapper"))
    }

    /// Says what it is about, as a warning.
    pub(crate) fn warns(self, warning: Warning) -> Diagnostic {
        Diagnostic { warning, ..self }
    }

    /// Adds what to write instead.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// Adds what to write instead if equations are written with operators.
    pub(crate) fn operators(mut self, help: impl Into<String>) -> Diagnostic {
        self.operators = Some(help.into());
        self
    }
}
