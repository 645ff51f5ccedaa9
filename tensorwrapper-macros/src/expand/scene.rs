//! What the names of a block stand for: given values, local results, tensors that were written.

use std::collections::HashMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use tensorwrapper_notation::syntax::Hole;
use tensorwrapper_notation::{Diagnostic, Equation, Fault, Use};

use super::own;
use crate::host::Host;

/// How a hole's value is taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Taken {
    /// By reference: a tensor or a scalar.
    Borrow,
    /// By reference: a function.
    Function,
    /// As a context.
    Context,
    /// As a number that is no element.
    Number(Use),
}

impl Taken {
    fn of(role: Use) -> Taken {
        match role {
            Use::Tensor | Use::Scalar => Taken::Borrow,
            Use::Function => Taken::Function,
            Use::Range | Use::Count | Use::Whole | Use::Real => Taken::Number(role),
        }
    }
}

/// A value that the program gives, bound to a name before anything is recorded.
struct Given {
    name: Ident,
    value: TokenStream,
}

/// A result of the block: the variable that holds its ticket, and its number.
#[derive(Clone)]
struct Made {
    ticket: Ident,
    number: usize,
}

/// The names of one invocation.
pub(super) struct Scene<'h> {
    pub(super) host: &'h Host,
    given: Vec<Given>,
    known: HashMap<(Taken, String), usize>,
    /// Results bound by `let`, by name.
    locals: HashMap<String, Made>,
    /// The new values of tensors that were written, by spelling.
    written: HashMap<String, Made>,
    /// Given values that are tensors, in the order in which the block passes them.
    tensors: Vec<usize>,
    /// Code that reads the given tensors.
    operands: TokenStream,
    /// Results of the whole block; they have the first numbers.
    results: usize,
}

impl<'h> Scene<'h> {
    pub(super) fn new(host: &'h Host, results: usize) -> Scene<'h> {
        Scene {
            host,
            given: Vec::new(),
            known: HashMap::new(),
            locals: HashMap::new(),
            written: HashMap::new(),
            tensors: Vec::new(),
            operands: TokenStream::new(),
            results,
        }
    }

    /// Code that reads the given tensors, and the variables that it binds.
    pub(super) fn operands(&self) -> (&TokenStream, Vec<Ident>) {
        (&self.operands, self.tensors.iter().map(|&given| own("operand", given)).collect())
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
        let mut holes = equation.holes();
        holes.sort_by_key(|(hole, _)| hole.span.start);
        let stale: Vec<Diagnostic> = holes.iter().filter_map(|(hole, _)| self.stale(hole)).collect();
        if !stale.is_empty() {
            return Err(stale);
        }
        for (hole, role) in holes {
            self.give(hole, Taken::of(role));
            if role == Use::Tensor {
                self.read(hole);
            }
        }
        Ok(())
    }

    /// The fault of an expression that contains, but is not, the spelling of something that the block made. Elements of
    /// collections are not followed: which one `v[n]` is, only the run knows.
    fn stale(&self, hole: &Hole) -> Option<Diagnostic> {
        if self.made(&hole.text).is_some() {
            return None;
        }
        let mut made: Vec<&String> = self.locals.keys().chain(self.written.keys()).filter(|text| !text.contains('[')).collect();
        made.sort();
        let text = made.into_iter().find(|text| mentions(&hole.text, text))?;
        let message = format!("`{}` reads `{text}` as it was before this block, which has made another `{text}`", hole.text);
        let help = Some(format!("write `{text}` alone, or give the block's own another name"));
        Some(Diagnostic { help, ..Diagnostic::new(Fault::Label, hole.span, message) })
    }

    fn give(&mut self, hole: &Hole, how: Taken) {
        if how == Taken::Borrow && self.made(&hole.text).is_some() {
            return;
        }
        // Equal spellings are one value, except where the text may do something: braces and calls run once for each
        // place where they stand. One place may serve several labels and equations: that of a `where`.
        let does_something = how != Taken::Borrow && hole.text.contains(['(', '!', '=']) || hole.text.starts_with('{');
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
            Taken::Borrow | Taken::Function => quote_spanned!(span.resolved_at(Span::mixed_site())=> &(#tokens)),
            Taken::Context => {
                let context = quote_spanned!(span=> <_ as __tw::IntoContext<'_>>::context);
                emit!(#context(#tokens))
            }
            Taken::Number(Use::Range) => {
                let bounds = quote_spanned!(span=> <_ as __tw::IndexRange>::bounds);
                emit!(#bounds(&(#tokens)))
            }
            Taken::Number(role) => {
                let read = match role {
                    Use::Whole => quote_spanned!(span=> <_ as __tw::WholeExponent>::exponent),
                    Use::Real => quote_spanned!(span=> <_ as __tw::RealExponent>::exponent),
                    Use::Tensor | Use::Scalar | Use::Function | Use::Range | Use::Count => {
                        quote_spanned!(span=> <_ as __tw::Count>::count)
                    }
                };
                emit!(#read(#tokens))
            }
        };
        self.given.push(Given { name, value });
    }

    /// The number of a hole's value among what is given.
    fn given(&self, hole: &Hole, how: Taken) -> usize {
        let number = self.known.get(&(how, run_key(hole))).or_else(|| self.known.get(&(how, hole.text.clone())));
        *number.expect("every hole of an equation was brought into the scene")
    }

    /// The place of a hole's value in the scrutinee.
    pub(super) fn place(&self, hole: &Hole, role: Use) -> usize {
        self.given(hole, Taken::of(role))
    }

    /// Whether the block has made what a spelling stands for.
    pub(super) fn is_made(&self, hole: &Hole) -> bool {
        self.made(&hole.text).is_some()
    }

    /// Number of values in the scrutinee.
    pub(super) fn count_given(&self) -> usize {
        self.given.len()
    }

    fn variable(&self, hole: &Hole, how: Taken) -> &Ident {
        &self.given[self.given(hole, how)].name
    }

    /// Reads a given tensor, once.
    fn read(&mut self, hole: &Hole) {
        if self.made(&hole.text).is_some() {
            return;
        }
        let given = self.given(hole, Taken::Borrow);
        if self.tensors.contains(&given) {
            return;
        }
        let (operand, value, span) = (own("operand", given), &self.given[given].name, self.host.blame(hole));
        // A path of the user's place: rustc blames its `_`, which stands for the operand's type.
        let read = quote_spanned!(span=> <_ as __tw::TensorLike>::operand(#value));
        self.operands.extend(emit!(let #operand = #read;));
        self.tensors.push(given);
    }

    /// Brings the block's context into the scrutinee.
    pub(super) fn take_context(&mut self, hole: &Hole) {
        self.give(hole, Taken::Context);
    }

    /// The block's context.
    pub(super) fn context(&self, hole: &Hole) -> &Ident {
        self.variable(hole, Taken::Context)
    }

    /// The result that a spelling stands for, if it is not the program's own value.
    fn made(&self, text: &str) -> Option<&Made> {
        let text = spelling(text);
        self.written.get(text).or_else(|| self.locals.get(text))
    }

    /// A reference to a function.
    pub(super) fn function(&self, hole: &Hole) -> &Ident {
        self.variable(hole, Taken::Function)
    }

    /// The variable that tells an operand's types.
    pub(super) fn operand(&self, hole: &Hole) -> Ident {
        match self.made(&hole.text) {
            Some(made) => made.ticket.clone(),
            None => own("operand", self.given(hole, Taken::Borrow)),
        }
    }

    /// The number of an operand's value: results first, then what is given.
    pub(super) fn number(&self, hole: &Hole) -> usize {
        match self.made(&hole.text) {
            Some(made) => made.number,
            None => {
                let given = self.given(hole, Taken::Borrow);
                let tensor = self.tensors.iter().position(|&known| known == given);
                self.results + tensor.expect("every operand of an equation was read")
            }
        }
    }

    /// A number of the equation's element type.
    pub(super) fn scalar(&self, hole: &Hole, element: &Ident) -> TokenStream {
        let span = self.host.blame(hole);
        if let Some(Made { ticket, .. }) = self.made(&hole.text) {
            let read = quote_spanned!(span=> __tw::local_scalar);
            return emit!(#read(#element, &#ticket));
        }
        let (read, value) = (quote_spanned!(span=> <_ as __tw::IntoScalar<_>>::scalar), self.variable(hole, Taken::Borrow));
        emit!(#read(#element, #value))
    }

    /// A number that is no element.
    pub(super) fn passed(&self, hole: &Hole, role: Use) -> &Ident {
        self.variable(hole, Taken::Number(role))
    }

    /// Binds a result; an earlier one of the same name is shadowed, as is a tensor of that spelling.
    pub(super) fn bind(&mut self, name: &str, ticket: Ident, number: usize) {
        self.written.remove(name);
        self.locals.insert(name.to_string(), Made { ticket, number });
    }

    /// The variable of a bound result.
    pub(super) fn local(&self, name: &str) -> Option<&Ident> {
        self.locals.get(name).map(|made| &made.ticket)
    }

    /// The number of a bound result.
    pub(super) fn local_number(&self, name: &str) -> Option<usize> {
        self.locals.get(name).map(|made| made.number)
    }

    /// Notes that a tensor was written: from here on its spelling stands for the new value.
    pub(super) fn write(&mut self, text: &str, ticket: Ident, number: usize) {
        self.written.insert(spelling(text).to_string(), Made { ticket, number });
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
