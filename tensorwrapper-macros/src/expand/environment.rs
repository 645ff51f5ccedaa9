//! Resolves the expressions of a block: each stands for a value of the program, a result of an earlier equation, or a tensor
//! that was written.
//!
//! Values of the program are captured as a closure captures them: each is evaluated once and bound to a variable before
//! anything is recorded.

use std::collections::HashMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use tensorwrapper_notation::syntax::Hole;
use tensorwrapper_notation::{Diagnostic, Equation, Fault, Use};

use super::hygiene::own;
use crate::host::Host;

/// The number of the first operand with the same spelling, which is the same value.
pub(super) fn first_of_spelling(equation: &Equation, operand: usize) -> usize {
    let operands = equation.operands();
    operands.iter().position(|known| known.hole.text == operands[operand].hole.text).unwrap_or(operand)
}

/// How the value of an expression is captured.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum CaptureMode {
    /// By reference: a tensor or a scalar.
    Borrow,
    /// By reference: a function.
    Function,
    /// As a context to compute in.
    Context,
    /// By reference: a number that is no element.
    Number(Use),
}

impl CaptureMode {
    fn of(role: Use) -> CaptureMode {
        match role {
            Use::Tensor | Use::Scalar => CaptureMode::Borrow,
            Use::Function => CaptureMode::Function,
            Use::Range | Use::Count | Use::Whole | Use::Real => CaptureMode::Number(role),
        }
    }
}

/// A value of the program, and the variable that it is bound to.
struct Capture {
    name: Ident,
    value: TokenStream,
}

/// A result of the block: the variable that holds its ticket, and its number.
struct BlockResult {
    ticket: Ident,
    number: usize,
    /// Whether it is a comparison's.
    is_truth: bool,
}

/// What the expressions of one invocation stand for.
pub(super) struct Environment<'h> {
    pub(super) host: &'h Host,
    captures: Vec<Capture>,
    /// The number of each capture, by its mode and its spelling.
    known: HashMap<(CaptureMode, String), usize>,
    /// Results bound by `let`, by name.
    locals: HashMap<String, BlockResult>,
    /// The new values of tensors that were written, by spelling.
    written: HashMap<String, BlockResult>,
    /// The captures that are tensors, in the order in which the block passes them.
    tensors: Vec<usize>,
    /// Those of them that are conditions by themselves.
    masks: Vec<usize>,
    /// Code that reads the captured tensors.
    operands: TokenStream,
    /// The number of results of the whole block, which have the first numbers.
    results: usize,
}

impl<'h> Environment<'h> {
    pub(super) fn new(host: &'h Host, results: usize) -> Environment<'h> {
        Environment {
            host,
            captures: Vec::new(),
            known: HashMap::new(),
            locals: HashMap::new(),
            written: HashMap::new(),
            tensors: Vec::new(),
            masks: Vec::new(),
            operands: TokenStream::new(),
            results,
        }
    }

    /// Code that reads the captured tensors, and the variables that it binds to them without their types.
    pub(super) fn operands(&self) -> (&TokenStream, Vec<Ident>) {
        (&self.operands, self.tensors.iter().map(|&capture| own("tensor", capture)).collect())
    }

    /// The scrutinee that evaluates all captures, and the pattern that binds them.
    pub(super) fn scrutinee(&self) -> (TokenStream, TokenStream) {
        let (names, values): (Vec<_>, Vec<_>) = self.captures.iter().map(|capture| (&capture.name, &capture.value)).unzip();
        // Nested pairs, because tuples are limited in length.
        let nest = |items: Vec<TokenStream>| items.into_iter().rev().fold(emit!(()), |rest, item| emit!((#item, #rest)));
        let values = nest(values.into_iter().cloned().collect());
        let names = nest(names.into_iter().map(|n| emit!(#n)).collect());
        (values, names)
    }

    /// Captures everything that an equation takes from the program, in the order of writing.
    ///
    /// # Errors
    /// Expressions that contain a name that the block has bound or written: they would read the old value.
    pub(super) fn capture(&mut self, equation: &Equation) -> Result<(), Vec<Diagnostic>> {
        let mut holes = equation.holes();
        holes.sort_by_key(|(hole, _)| hole.span.start);
        let stale: Vec<Diagnostic> = holes.iter().filter_map(|(hole, _)| self.stale(hole)).collect();
        if !stale.is_empty() {
            return Err(stale);
        }
        let masks: Vec<_> = equation.operands().iter().filter(|one| one.is_mask).map(|one| one.hole.span).collect();
        let mut faults = Vec::new();
        for (hole, role) in holes {
            self.capture_hole(hole, CaptureMode::of(role));
            if role == Use::Tensor {
                let is_mask = masks.contains(&hole.span);
                self.read(hole, is_mask);
                faults.extend(self.misread(hole, is_mask));
            }
            if role == Use::Scalar && self.block_result(&hole.text).is_some_and(|result| result.is_truth) {
                let fault = Diagnostic::new(Fault::Label, hole.span, format!("`{0}` is a truth value, and no number", hole.text));
                let help = format!("write `select({0}[]; 1.0, 0.0)`; as a condition it is `{0}[]`", hole.text);
                faults.push(Diagnostic { help: Some(help), ..fault });
            }
        }
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }

    /// The fault of numbers where a condition stands, or of truth values where a number does.
    fn misread(&self, hole: &Hole, is_mask: bool) -> Option<Diagnostic> {
        let name = &hole.text;
        let result = self.block_result(name).map(|result| result.is_truth);
        let is_truth = result.unwrap_or_else(|| self.masks.contains(&self.number(hole, CaptureMode::Borrow)));
        let (message, help) = match (is_truth, is_mask) {
            (true, false) if result.is_none() => (
                format!("`{name}` stands for numbers here, and is a condition elsewhere"),
                format!("a condition of numbers is a comparison: `{name}[…] != 0.0`, or `{name}[…] >= 0.0`"),
            ),
            (true, false) => {
                (format!("`{name}` has truth values, and no numbers"), format!("write `select({name}[…]; 1.0, 0.0)`"))
            }
            (false, true) => (
                format!("a condition is a comparison or has truth values, and `{name}` has numbers"),
                format!("write `{name}[…] != 0.0`, or `{name}[…] >= 0.0`"),
            ),
            (true, true) | (false, false) => return None,
        };
        Some(Diagnostic { help: Some(help), ..Diagnostic::new(Fault::Label, hole.span, message) })
    }

    /// The fault of an expression that contains, but is not, the spelling of a result of the block. Elements of collections are
    /// not followed: which one `v[n]` is, only the run knows.
    fn stale(&self, hole: &Hole) -> Option<Diagnostic> {
        if self.block_result(&hole.text).is_some() {
            return None;
        }
        let mut results: Vec<&String> =
            self.locals.keys().chain(self.written.keys()).filter(|text| !text.contains('[')).collect();
        results.sort();
        let text = results.into_iter().find(|text| mentions(&hole.text, text))?;
        let message = format!("`{}` reads `{text}` as it was before this block, which has made another `{text}`", hole.text);
        let help = Some(format!("write `{text}` alone, or give the block's own another name"));
        Some(Diagnostic { help, ..Diagnostic::new(Fault::Label, hole.span, message) })
    }

    fn capture_hole(&mut self, hole: &Hole, mode: CaptureMode) {
        if mode == CaptureMode::Borrow && self.block_result(&hole.text).is_some() {
            return;
        }
        // Equal spellings are one value, unless the text may have side effects: braces and calls run once for each place where they
        // are written. The place of a `where` may serve several labels and equations.
        let does_something = mode != CaptureMode::Borrow && hole.text.contains(['(', '!', '=']) || hole.text.starts_with('{');
        let key = (mode, if does_something { run_key(hole) } else { hole.text.clone() });
        if self.known.contains_key(&key) {
            return;
        }
        let number = self.captures.len();
        self.known.insert(key, number);
        let name = own("capture", number);
        let tokens = self.host.tokens(hole);
        let span = self.host.blame(hole);
        let value = match mode {
            // With the span of the expression, so that rustc's messages about borrowing point there.
            CaptureMode::Borrow | CaptureMode::Function => quote_spanned!(span.resolved_at(Span::mixed_site())=> &(#tokens)),
            CaptureMode::Context => {
                // The call with that span, too, so that rustc reports a type that is no context once.
                let context = quote_spanned!(span=> <_ as __tw::IntoContext<'_>>::context);
                quote_spanned!(span=> #context(#tokens))
            }
            CaptureMode::Number(Use::Range) => {
                let bounds = quote_spanned!(span=> <_ as __tw::IndexRange>::bounds);
                emit!(&#bounds(&(#tokens)))
            }
            CaptureMode::Number(role) => {
                let read = match role {
                    Use::Whole => quote_spanned!(span=> <_ as __tw::WholeExponent>::exponent),
                    Use::Real => quote_spanned!(span=> <_ as __tw::RealExponent>::exponent),
                    Use::Tensor | Use::Scalar | Use::Function | Use::Range | Use::Count => {
                        quote_spanned!(span=> <_ as __tw::Count>::count)
                    }
                };
                emit!(&#read(#tokens))
            }
        };
        self.captures.push(Capture { name, value });
    }

    /// The number of a hole's capture.
    fn number(&self, hole: &Hole, mode: CaptureMode) -> usize {
        let number = self.known.get(&(mode, run_key(hole))).or_else(|| self.known.get(&(mode, hole.text.clone())));
        *number.expect("every hole of an equation was captured")
    }

    /// The position of a hole's value among the captures.
    pub(super) fn position(&self, hole: &Hole, role: Use) -> usize {
        self.number(hole, CaptureMode::of(role))
    }

    /// Whether an expression is a result of the block.
    pub(super) fn is_block_result(&self, hole: &Hole) -> bool {
        self.block_result(&hole.text).is_some()
    }

    /// How many values are captured.
    pub(super) fn captures(&self) -> usize {
        self.captures.len()
    }

    fn variable(&self, hole: &Hole, mode: CaptureMode) -> &Ident {
        &self.captures[self.number(hole, mode)].name
    }

    /// Emits the code that reads a captured tensor, once; one that is a condition by itself has truth values.
    fn read(&mut self, hole: &Hole, is_mask: bool) {
        if self.block_result(&hole.text).is_some() {
            return;
        }
        let number = self.number(hole, CaptureMode::Borrow);
        if self.tensors.contains(&number) {
            return;
        }
        let [operand, tensor] = ["operand", "tensor"].map(|prefix| own(prefix, number));
        let (value, span) = (&self.captures[number].name, self.host.blame(hole));
        // With the span of the operand: rustc reports a type that is no tensor at the method. It is called on the place itself, so that
        // the operand may live longer than a place that holds a reference.
        let read = match is_mask {
            true => {
                let (read, mask) = (quote_spanned!(span=> (*#value).__mask()), own("mask", number));
                self.operands.extend(emit!(let #mask = __tw::mask(__context, #read);));
                emit!(#mask)
            }
            false => quote_spanned!(span=> (*#value).__operand()),
        };
        self.operands.extend(emit!(let (#operand, #tensor) = #read.apart();));
        self.tensors.push(number);
        self.masks.extend(is_mask.then_some(number));
    }

    /// Whether truth values of the program are read.
    pub(super) fn has_masks(&self) -> bool {
        !self.masks.is_empty()
    }

    /// Captures the block's context.
    pub(super) fn capture_context(&mut self, hole: &Hole) {
        self.capture_hole(hole, CaptureMode::Context);
    }

    /// The block's context.
    pub(super) fn context(&self, hole: &Hole) -> &Ident {
        self.variable(hole, CaptureMode::Context)
    }

    /// The result of the block that an expression stands for, if it is not a value of the program.
    fn block_result(&self, text: &str) -> Option<&BlockResult> {
        let text = spelling(text);
        self.written.get(text).or_else(|| self.locals.get(text))
    }

    /// A reference to a function.
    pub(super) fn function(&self, hole: &Hole) -> &Ident {
        self.variable(hole, CaptureMode::Function)
    }

    /// The variable that has an operand's types.
    pub(super) fn operand(&self, hole: &Hole) -> Ident {
        match self.block_result(&hole.text) {
            Some(result) => result.ticket.clone(),
            None => own("operand", self.number(hole, CaptureMode::Borrow)),
        }
    }

    /// The number of an operand's value: results come first, then captured tensors.
    pub(super) fn value_number(&self, hole: &Hole) -> usize {
        match self.block_result(&hole.text) {
            Some(result) => result.number,
            None => {
                let capture = self.number(hole, CaptureMode::Borrow);
                let tensor = self.tensors.iter().position(|&known| known == capture);
                self.results + tensor.expect("every operand of an equation was read")
            }
        }
    }

    /// A number of the equation's element type.
    pub(super) fn scalar(&self, hole: &Hole, element: &Ident) -> TokenStream {
        let span = self.host.blame(hole);
        if let Some(BlockResult { ticket, .. }) = self.block_result(&hole.text) {
            let read = quote_spanned!(span=> __tw::local_scalar);
            return emit!(#read(#element, &#ticket));
        }
        let (read, value) =
            (quote_spanned!(span=> <_ as __tw::PassedAsScalar<'_, '_, _, _>>::scalar), self.variable(hole, CaptureMode::Borrow));
        emit!(#read(#element, #value, __tw::unwritten))
    }

    /// The variable of a number that is no element.
    pub(super) fn number_variable(&self, hole: &Hole, role: Use) -> &Ident {
        self.variable(hole, CaptureMode::Number(role))
    }

    /// Binds a result. It shadows an earlier one of the same name and a tensor of that spelling.
    pub(super) fn bind(&mut self, name: &str, ticket: Ident, number: usize, is_truth: bool) {
        self.written.remove(name);
        self.locals.insert(name.to_string(), BlockResult { ticket, number, is_truth });
    }

    /// The variable of a bound result.
    pub(super) fn local(&self, name: &str) -> Option<&Ident> {
        self.locals.get(name).map(|result| &result.ticket)
    }

    /// The number of a bound result.
    pub(super) fn local_number(&self, name: &str) -> Option<usize> {
        self.locals.get(name).map(|result| result.number)
    }

    /// Registers that a tensor was written: from here on its spelling is the new value.
    pub(super) fn write(&mut self, text: &str, ticket: Ident, number: usize) {
        self.written.insert(spelling(text).to_string(), BlockResult { ticket, number, is_truth: false });
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

/// The key of a hole whose every occurrence is evaluated by itself.
fn run_key(hole: &Hole) -> String {
    format!("{}@{}", hole.text, hole.span.start)
}
