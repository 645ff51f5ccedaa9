//! What the names of a block stand for: given values, local results, tensors that were written.

use std::collections::HashMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use tensorwrapper_notation::syntax::{Count, Hole, Range, Scalar};
use tensorwrapper_notation::{Diagnostic, Equation, Exponent, Fault, Index, ScalarId};

use super::own;
use crate::host::Host;

/// How a hole's value is taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Use {
    /// By reference: a tensor or a scalar.
    Borrow,
    /// As a range of indices.
    Range,
    /// As a position or extent.
    Count,
    /// As a context.
    Context,
    /// As the exponent of `powi`.
    Whole,
    /// As the exponent of `powf`.
    Real,
}

/// A value that the program gives, bound to a name before anything is recorded.
struct Given {
    name: Ident,
    value: TokenStream,
}

/// The names of one invocation.
pub(super) struct Scene<'h> {
    pub(super) host: &'h Host,
    given: Vec<Given>,
    known: HashMap<(Use, String), usize>,
    /// Results bound by `let`, by name: the variable that holds the recording.
    locals: HashMap<String, Ident>,
    /// Tensors that were written, by spelling: the variable that holds the recording of their new value.
    written: HashMap<String, TokenStream>,
}

impl<'h> Scene<'h> {
    pub(super) fn new(host: &'h Host) -> Scene<'h> {
        Scene { host, given: Vec::new(), known: HashMap::new(), locals: HashMap::new(), written: HashMap::new() }
    }

    /// The scrutinee that evaluates everything given, and the pattern that names it.
    pub(super) fn scrutinee(&self) -> (TokenStream, TokenStream) {
        let (names, values): (Vec<_>, Vec<_>) = self.given.iter().map(|g| (&g.name, &g.value)).unzip();
        // Nested pairs have no limit of length.
        let nest = |items: Vec<TokenStream>| items.into_iter().rev().fold(emit!(()), |rest, item| emit!((#item, #rest)));
        let values = nest(values.into_iter().cloned().collect());
        let names = nest(names.into_iter().map(|n| emit!(#n)).collect());
        (values, names)
    }

    /// Brings everything that an equation takes from the program into the scrutinee, in the order of writing.
    ///
    /// # Errors
    /// Expressions that read, under another spelling, what the block has bound or written: they would see the old value.
    pub(super) fn take(&mut self, equation: &Equation) -> Result<(), Vec<Diagnostic>> {
        let mut holes: Vec<(&Hole, Use)> = Vec::new();
        for operand in equation.operands() {
            holes.push((&operand.hole, Use::Borrow));
            for index in &operand.indices {
                match index {
                    Index::Slice(_, Range::Hole(hole), _) => holes.push((hole, Use::Range)),
                    Index::Chip(Count::Hole(hole)) => holes.push((hole, Use::Count)),
                    _ => {}
                }
            }
        }
        for (n, scalar) in equation.scalars().iter().enumerate() {
            if let Scalar::Hole(hole) = scalar {
                holes.push((
                    hole,
                    match equation.exponent(ScalarId(n)) {
                        Some(Exponent::Whole) => Use::Whole,
                        Some(Exponent::Real) => Use::Real,
                        None => Use::Borrow,
                    },
                ));
            }
        }
        for label in equation.labels() {
            if let Some(Count::Hole(hole)) = &label.declared {
                holes.push((hole, Use::Count));
            }
        }
        holes.sort_by_key(|(hole, _)| hole.span.start);
        let stale: Vec<Diagnostic> = holes.iter().filter_map(|(hole, _)| self.stale(hole)).collect();
        if !stale.is_empty() {
            return Err(stale);
        }
        for (hole, how) in holes {
            self.give(hole, how);
        }
        Ok(())
    }

    /// The fault of an expression that contains, but is not, the spelling of something that the block made. Elements of
    /// collections are not followed: which one `v[n]` is, only the run knows.
    fn stale(&self, hole: &Hole) -> Option<Diagnostic> {
        if self.recorded(&hole.text).is_some() {
            return None;
        }
        let mut made: Vec<&String> = self.locals.keys().chain(self.written.keys()).filter(|text| !text.contains('[')).collect();
        made.sort();
        let text = made.into_iter().find(|text| mentions(&hole.text, text))?;
        let message = format!("`{}` reads `{text}` as it was before this block, which has made another `{text}`", hole.text);
        let help = Some(format!("write `{text}` alone, or give the block's own another name"));
        Some(Diagnostic { fault: Fault::Label, span: hole.span, message, help })
    }

    fn give(&mut self, hole: &Hole, how: Use) {
        if how == Use::Borrow && self.recorded(&hole.text).is_some() {
            return;
        }
        // Equal spellings are one value, except where the text may do something: braces and calls run once for each
        // place where they stand. One place may serve several labels and equations: that of a `where`.
        let does_something = how != Use::Borrow && hole.text.contains(['(', '!', '=']) || hole.text.starts_with('{');
        let key = (how, if does_something { run_key(hole) } else { hole.text.clone() });
        if self.known.contains_key(&key) {
            return;
        }
        let number = self.given.len();
        self.known.insert(key, number);
        let name = own("given", number);
        let tokens = self.host.tokens(hole);
        let span = self.host.blame(hole);
        let value = match how {
            // At its place, so that rustc's messages about borrowing point there.
            Use::Borrow => quote_spanned!(span.resolved_at(Span::mixed_site())=> &(#tokens)),
            Use::Range => {
                let bounds = quote_spanned!(span=> <_ as ::tensorwrapper::__private::IndexRange>::bounds);
                emit!(#bounds(&(#tokens)))
            }
            Use::Count => {
                let count = quote_spanned!(span=> <_ as ::tensorwrapper::__private::Count>::count);
                emit!(#count(#tokens))
            }
            Use::Context => {
                let context = quote_spanned!(span=> <_ as ::tensorwrapper::__private::IntoContext<'_>>::context);
                emit!(#context(#tokens))
            }
            Use::Whole => {
                let exponent = quote_spanned!(span=> <_ as ::tensorwrapper::__private::WholeExponent>::exponent);
                emit!(#exponent(#tokens))
            }
            Use::Real => {
                let exponent = quote_spanned!(span=> <_ as ::tensorwrapper::__private::RealExponent>::exponent);
                emit!(#exponent(#tokens))
            }
        };
        self.given.push(Given { name, value });
    }

    fn given(&self, hole: &Hole, how: Use) -> TokenStream {
        let name = &self.given[self.number(hole, how)].name;
        emit!(#name)
    }

    /// The place of a value in the scrutinee.
    pub(super) fn number(&self, hole: &Hole, how: Use) -> usize {
        let number = self.known.get(&(how, run_key(hole))).or_else(|| self.known.get(&(how, hole.text.clone())));
        *number.expect("every hole of an equation was brought into the scene")
    }

    /// Number of values in the scrutinee.
    pub(super) fn count_given(&self) -> usize {
        self.given.len()
    }

    /// Brings the block's context into the scrutinee.
    pub(super) fn take_context(&mut self, hole: &Hole) {
        self.give(hole, Use::Context);
    }

    /// The block's context.
    pub(super) fn context(&self, hole: &Hole) -> TokenStream {
        self.given(hole, Use::Context)
    }

    /// The recording that a spelling stands for, if it is not the program's own value.
    pub(super) fn recorded(&self, text: &str) -> Option<TokenStream> {
        let text = spelling(text);
        if let Some(written) = self.written.get(text) {
            return Some(written.clone());
        }
        self.locals.get(text).map(|ident| emit!(&#ident))
    }

    /// A reference to a tensor or scalar.
    pub(super) fn borrowed(&self, hole: &Hole) -> TokenStream {
        self.recorded(&hole.text).unwrap_or_else(|| self.given(hole, Use::Borrow))
    }

    /// A pair of bounds.
    pub(super) fn range(&self, hole: &Hole) -> TokenStream {
        self.given(hole, Use::Range)
    }

    /// A position or extent.
    pub(super) fn count(&self, count: &Count) -> TokenStream {
        match count {
            Count::Literal(value, _) => emit!(#value),
            Count::Hole(hole) => self.given(hole, Use::Count),
        }
    }

    /// The exponent of `powi`.
    pub(super) fn whole(&self, hole: &Hole) -> TokenStream {
        self.given(hole, Use::Whole)
    }

    /// The exponent of `powf`.
    pub(super) fn real(&self, hole: &Hole) -> TokenStream {
        self.given(hole, Use::Real)
    }

    /// Binds a result; an earlier one of the same name is shadowed, as is a tensor of that spelling.
    pub(super) fn bind(&mut self, name: &str, ident: Ident) {
        self.written.remove(name);
        self.locals.insert(name.to_string(), ident);
    }

    /// The variable of a bound result.
    pub(super) fn local(&self, name: &str) -> Option<&Ident> {
        self.locals.get(name)
    }

    /// Notes that a tensor was written: from here on its spelling stands for the new value.
    pub(super) fn write(&mut self, text: &str, after: TokenStream) {
        self.written.insert(spelling(text).to_string(), after);
    }
}

/// A path without parentheses around it.
fn spelling(text: &str) -> &str {
    let is_path = |inner: &str| inner.chars().all(|c| c.is_alphanumeric() || "_.:#".contains(c));
    match text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) if is_path(inner) => spelling(inner),
        _ => text,
    }
}

/// Whether an expression contains a path, by itself and not as a part of another name, a field or a method.
fn mentions(expression: &str, path: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    expression.match_indices(path).any(|(start, _)| {
        let before = expression[..start].chars().next_back();
        let after = expression[start + path.len()..].chars().next();
        !before.is_some_and(|c| part(c) || c == '.' || c == ':') && !after.is_some_and(|c| part(c) || c == ':')
    })
}

/// The key of one occurrence of a hole that runs each time it is written.
fn run_key(hole: &Hole) -> String {
    format!("{}@{}", hole.text, hole.span.start)
}
