//! Expands a block: its statements in order, then its value, then the writes into tensors; `assembly` puts them together.

mod assembly;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use tensorwrapper_notation::syntax::{Assignment, Block, BlockValue, Declaration, Index, LeftSide, Name, Statement, Target};
use tensorwrapper_notation::{Diagnostic, Fault, check, header};

use super::environment::Environment;
use super::equation::{self, Recorded};
use super::failure::Failure;
use super::hygiene::own;
use super::static_expr::{self, StaticForm};
use crate::host::Host;
use crate::{fragment, report};

/// What has been emitted so far.
struct Emission<'h> {
    environment: Environment<'h>,
    failure: Failure,
    /// The block's `where`.
    header: Vec<Declaration>,
    /// Code that types the equations.
    typed: TokenStream,
    /// The recipe of each equation, and where the equation is.
    recipes: Vec<(TokenStream, Span)>,
    /// The number of the next result.
    next: usize,
    /// The numbers of the results that are part of the block's value.
    sinks: Vec<usize>,
    /// For each bound name, whether it is a plain number.
    numbers: Vec<(String, bool)>,
    /// For each write: code that takes the computed part, the function that writes it, and the place.
    writes: Vec<(TokenStream, TokenStream, TokenStream)>,
    /// The static form of the block's only equation, if it has one.
    static_form: Option<StaticForm>,
    faults: Vec<Diagnostic>,
}

/// How many results an equation has.
fn results(statement: &Statement) -> usize {
    match &statement.target {
        Target::Let(results) => results.len(),
        Target::Value(sides) => sides.len(),
        Target::Place(..) => 1,
    }
}

/// Expands a block. A statement with a syntax error is not part of `block`: `faults` holds these errors, and `broken` holds the
/// names that the statements bind, so that uses of these names are not reported too.
pub(super) fn expand(
    host: &Host,
    block: &Block,
    (mut faults, broken): (Vec<Diagnostic>, &[Name]),
    failure: Failure,
) -> Result<TokenStream, Vec<Diagnostic>> {
    let (header, strays) = header(block);
    // An equation that could not be read may have the label of the `where`.
    if faults.is_empty() {
        faults = strays;
    }
    let last = if let BlockValue::Equation(statement) = &block.value { results(statement) } else { 0 };
    let mut emission = Emission {
        environment: Environment::new(host, block.statements.iter().map(results).sum::<usize>() + last),
        failure,
        header,
        typed: TokenStream::new(),
        recipes: Vec::new(),
        next: 0,
        sinks: Vec::new(),
        numbers: Vec::new(),
        writes: Vec::new(),
        static_form: None,
        faults,
    };
    if let Some(hole) = &block.context {
        emission.environment.capture_context(hole);
        emission.faults.extend(fragment::expression(host, hole));
    }
    for name in broken {
        emission.environment.bind(&name.text, host.ident(name), 0, false);
    }
    for statement in &block.statements {
        emission.statement(statement, block);
    }
    let value = emission.value(&block.value, block);
    if emission.sinks.is_empty() && emission.writes.is_empty() && emission.faults.is_empty() {
        emission.faults.push(computes_nothing(block));
    }
    if !emission.faults.is_empty() {
        return Err(emission.faults);
    }
    Ok(emission.assemble(block, &value))
}

/// The fault of a block that writes nothing and has no value, reported at its last equation.
fn computes_nothing(block: &Block) -> Diagnostic {
    let last = block.statements.last();
    let name = last.and_then(|statement| match &statement.target {
        Target::Let(results) => results.first().map(|(name, _)| name),
        Target::Place(..) | Target::Value(_) => None,
    });
    let span = name.map_or(block.span, |name| name.span);
    let fault = Diagnostic::new(Fault::Label, span, "this block computes nothing: no result leaves it and no tensor is written");
    let value = name.map_or("(W, E)", |name| &name.text);
    Diagnostic { help: Some(format!("end the block with what it is for, as Rust's do: `{value}`")), ..fault }
}

/// The help for an assignment to a name of the block.
fn bind_again(name: &str, indices: &[Index], assignment: Assignment) -> String {
    let label = |index: &Index| if let Index::Label(label) = index { Some(label.text.clone()) } else { None };
    let labels: Option<Vec<String>> = indices.iter().map(label).collect();
    let Some(labels) = labels.filter(|all| (1..all.len()).all(|n| !all[..n].contains(&all[n]))) else {
        return "a part can be written of a tensor that was made before the block".to_string();
    };
    let left = format!("{name}[{}]", labels.join(", "));
    match assignment {
        Assignment::Set => format!("bind it again: `let {left} = …;`"),
        Assignment::Update(operator) => format!("bind it again: `let {left} = {left} {} (…);`", operator.symbol()),
    }
}

impl Emission<'_> {
    fn statement(&mut self, statement: &Statement, block: &Block) {
        if let Target::Place(hole, indices, assignment) = &statement.target
            && self.environment.local(&hole.text).is_some()
        {
            let message = format!("`{}` is bound by this block and cannot be assigned to", hole.text);
            let help = Some(bind_again(&hole.text, indices, *assignment));
            self.faults.push(Diagnostic { help, ..Diagnostic::new(Fault::Label, hole.span, message) });
            return;
        }
        let Some((code, first)) = self.equations(statement, block) else { return };
        match &statement.target {
            Target::Let(results) => self.bind(results, &code, first, statement.is_truth()),
            Target::Place(hole, ..) => {
                let write = own("write", self.writes.len());
                self.typed(&emit!(#write), &code);
                let (place, span) = (self.environment.host.tokens(hole), self.environment.host.blame(hole));
                let take = quote_spanned!(span=> __tw::WritesTensors::take_patch);
                // Errors about blocks that are only recorded are reported here.
                let run = Ident::new("__block", span.resolved_at(Span::mixed_site()));
                let run = quote_spanned!(span=> &mut #run);
                let take = emit!(#take(#run, &#write));
                let to = quote_spanned!(span=> <_ as __tw::WriteInto<_>>::write);
                self.writes.push((take, emit!(#to), emit!(#place.__place())));
                self.environment.write(&hole.text, write, first);
            }
            Target::Value(sides) => {
                let span = sides.first().map_or(statement.span, |side| side.span);
                let fault = Diagnostic::new(Fault::Syntax, span, "an equation in value form is the last line of a block");
                self.faults.push(Diagnostic { help: Some("name its result: `let C[i, j] = …;`".to_string()), ..fault });
            }
        }
    }

    /// Checks the equations of a statement and emits their types. Returns that code and the number of the first result, or `None` if an
    /// equation is faulty.
    fn equations(&mut self, statement: &Statement, block: &Block) -> Option<(TokenStream, usize)> {
        let parts = statement.parts();
        let [part] = &*parts else {
            let (first, before) = (self.next, self.faults.len());
            let found: Vec<_> = parts.iter().map(|part| self.equation(part, block)).collect();
            // What the parts share is one fault.
            let mut said = Vec::new();
            for fault in self.faults.split_off(before) {
                if !said.contains(&fault) {
                    said.push(fault);
                }
            }
            self.faults.extend(said);
            let codes: Vec<TokenStream> = found.into_iter().map(|part| Some(part?.0)).collect::<Option<_>>()?;
            return Some((emit!((#(#codes),*)), first));
        };
        self.equation(part, block)
    }

    /// Checks one equation and emits its types. Returns that code and the number of the first result, or `None` if the equation is
    /// faulty.
    fn equation(&mut self, statement: &Statement, block: &Block) -> Option<(TokenStream, usize)> {
        let first = self.next;
        self.next += results(statement);
        let checked = check(statement, &self.header).and_then(|equation| {
            fragment::check(self.environment.host, &equation)?;
            self.environment.capture(&equation)?;
            Ok(equation)
        });
        match checked {
            Err(faults) => {
                self.faults.extend(faults);
                // The names are bound all the same, so that their uses are not reported as well.
                if let Target::Let(results) = &statement.target {
                    for (name, _) in results {
                        self.environment.bind(&name.text, self.environment.host.ident(name), first, statement.is_truth());
                    }
                }
                None
            }
            Ok(equation) => {
                let host = self.environment.host;
                self.typed.extend(equation.warnings().iter().map(|warning| report::warning(host, warning)));
                self.static_form = static_expr::static_form(&self.environment, block, &equation);
                let Recorded { code, recipe } = equation::record(&self.environment, statement, &equation, first);
                self.recipes.push((recipe, host.span(statement.span)));
                Some((code, first))
            }
        }
    }

    fn bind(&mut self, results: &[(Name, LeftSide)], code: &TokenStream, first: usize, is_truth: bool) {
        let names: Vec<_> = results.iter().map(|(name, _)| self.environment.host.ident(name)).collect();
        let pattern = if let [name] = names.as_slice() { emit!(#name) } else { emit!((#(#names),*)) };
        self.typed(&pattern, code);
        for (n, ((name, left), ident)) in results.iter().zip(names).enumerate() {
            self.environment.bind(&name.text, ident, first + n, is_truth);
            self.numbers.push((name.text.clone(), left.indices.is_none()));
        }
    }

    /// Binds the tickets of an equation, without lints for the names of labels and checks.
    fn typed(&mut self, pattern: &TokenStream, code: &TokenStream) {
        self.typed.extend(emit! {
            #[allow(non_snake_case, non_camel_case_types, unused_variables)]
            let #pattern = #code;
        });
    }

    /// Code that makes the block's value of the computed results.
    fn value(&mut self, value: &BlockValue, block: &Block) -> TokenStream {
        match value {
            BlockValue::Nothing => emit!(()),
            BlockValue::Name(name) => self.exported(name),
            BlockValue::Names(names) => {
                let values: Vec<_> = names.iter().map(|name| self.exported(name)).collect();
                emit!((#(#values,)*))
            }
            BlockValue::Equation(statement) => {
                let Some((code, first)) = self.equations(statement, block) else { return emit!(()) };
                let Target::Value(sides) = &statement.target else { unreachable!("a block's last equation is in value form") };
                let names: Vec<_> = (0..sides.len()).map(|n| own("value", n)).collect();
                let pattern = if let [name] = names.as_slice() { emit!(#name) } else { emit!((#(#names),*)) };
                self.typed(&pattern, &code);
                let values: Vec<_> = names
                    .iter()
                    .zip(sides)
                    .enumerate()
                    .map(|(n, (name, side))| {
                        self.taken(name, first + n, side.indices.as_ref().is_none_or(|indices| indices.is_empty()))
                    })
                    .collect();
                if let [value] = values.as_slice() { value.clone() } else { emit!((#(#values),*)) }
            }
        }
    }

    fn exported(&mut self, name: &Name) -> TokenStream {
        let (Some(ident), Some(number)) = (self.environment.local(&name.text), self.environment.local_number(&name.text)) else {
            let fault = Diagnostic::new(Fault::Label, name.span, format!("`{}` is not bound in this block", name.text));
            let help = Some(format!("a block's value is made of names that it binds, `let {}[i, j] = …;`", name.text));
            self.faults.push(Diagnostic { help, ..fault });
            return emit!(());
        };
        let ident = self.environment.host.written(&ident.to_string(), self.environment.host.span(name.span));
        let is_number = self.numbers.iter().rev().find(|(known, _)| *known == name.text).is_some_and(|(_, number)| *number);
        self.taken(&ident, number, is_number)
    }

    fn taken(&mut self, ticket: &Ident, number: usize, is_number: bool) -> TokenStream {
        self.sinks.push(number);
        match is_number {
            true => emit!(__tw::Evaluator::take_number(&mut __block, &#ticket)),
            false => emit!(__tw::Evaluator::take_tensor(&mut __block, &#ticket)),
        }
    }

    /// Where the block's value is written.
    fn value_span(&self, block: &Block) -> Span {
        let span = match &block.value {
            BlockValue::Nothing => return Span::mixed_site(),
            BlockValue::Name(name) => name.span,
            BlockValue::Names(names) => names.first().map_or(block.span, |name| name.span),
            BlockValue::Equation(statement) => match &statement.target {
                Target::Value(sides) => sides.first().map_or(block.span, |side| side.span),
                Target::Let(_) | Target::Place(..) => block.span,
            },
        };
        self.environment.host.whole(span)
    }
}
