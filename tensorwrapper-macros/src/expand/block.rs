//! Statements in order, results out, writes at the end.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use tensorwrapper_notation::syntax::{Block, BlockValue, LeftSide, Name, Statement, Target};
use tensorwrapper_notation::{Diagnostic, Fault, check};

use super::equation::{self, Recorded};
use super::scene::Scene;
use super::straight::{self, Straight};
use super::{Failure, own};
use crate::host::Host;
use crate::report;

/// What has been emitted so far.
struct Emission<'h> {
    scene: Scene<'h>,
    failure: Failure,
    /// Code that records the equations.
    record: TokenStream,
    /// References to recordings that are computed.
    sinks: Vec<TokenStream>,
    /// Whether each bound name is a plain number.
    numbers: Vec<(String, bool)>,
    /// For each write: code that takes the computed part, the function that puts it in its place, and the place.
    writes: Vec<(TokenStream, TokenStream, TokenStream)>,
    /// The form of the only equation over static tensors, if it has one.
    straight: Option<Straight>,
    faults: Vec<Diagnostic>,
}

/// Expands a block, of which some statements may be missing: `wrong` are the faults found in them and the names that they
/// bind, so that their uses are not reported too.
pub(super) fn expand(
    host: &Host,
    block: &Block,
    (faults, broken): (Vec<Diagnostic>, &[Name]),
    failure: Failure,
) -> Result<TokenStream, Vec<Diagnostic>> {
    let mut emission = Emission {
        scene: Scene::new(host),
        failure,
        record: TokenStream::new(),
        sinks: Vec::new(),
        numbers: Vec::new(),
        writes: Vec::new(),
        straight: None,
        faults,
    };
    if let Some(hole) = &block.context {
        emission.scene.take_context(hole);
    }
    for name in broken {
        emission.scene.bind(&name.text, host.ident(name));
    }
    for statement in &block.statements {
        emission.statement(statement, block);
    }
    let value = emission.value(&block.value, block);
    if emission.sinks.is_empty() && emission.faults.is_empty() {
        emission.faults.push(computes_nothing(block));
    }
    if !emission.faults.is_empty() {
        return Err(emission.faults);
    }
    Ok(emission.assemble(block, &value))
}

/// A block whose equations are all local. The last one is blamed.
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

impl Emission<'_> {
    fn statement(&mut self, statement: &Statement, block: &Block) {
        if let Target::Place(hole, ..) = &statement.target
            && self.scene.local(&hole.text).is_some()
        {
            let message = format!("`{}` is bound by this block and cannot be assigned to", hole.text);
            let help = Some(format!("bind it again: `let {0}[i, j] = {0}[i, j] + …;`", hole.text));
            self.faults.push(Diagnostic { help, ..Diagnostic::new(Fault::Label, hole.span, message) });
            return;
        }
        let Some(recorded) = self.equation(statement, block) else { return };
        match &statement.target {
            Target::Let(results) => self.bind(results, recorded),
            Target::Place(hole, ..) => {
                let write = own("write", self.writes.len());
                let code = recorded.code;
                self.record.extend(emit!(let #write = #code;));
                self.scene.write(&hole.text, emit!(&#write.after));
                self.sinks.push(emit!(::tensorwrapper::__private::part(&#write)));
                let (place, span) = (self.scene.host.tokens(hole), self.scene.host.blame(hole));
                let take = quote_spanned!(span=> ::tensorwrapper::__private::WritesTensors::take_patch);
                // Blamed where blocks are only recorded.
                let context = Ident::new("__context", span.resolved_at(Span::mixed_site()));
                let take = emit!(#take(#context, &#write, &mut __results));
                let to = quote_spanned!(span=> <_ as ::tensorwrapper::__private::WriteInto<_>>::write);
                self.writes.push((take, emit!(#to), emit!(#place.__place())));
            }
            Target::Value(sides) => {
                let span = sides.first().map_or(statement.span, |side| side.span);
                let fault = Diagnostic::new(Fault::Syntax, span, "an equation in value form is the last line of a block");
                self.faults.push(Diagnostic { help: Some("name its result: `let C[i, j] = …;`".to_string()), ..fault });
            }
        }
    }

    /// Checks one equation and emits its recording; `None` where it is wrong.
    fn equation(&mut self, statement: &Statement, block: &Block) -> Option<Recorded> {
        let checked = check(statement, &block.declarations).and_then(|equation| {
            self.scene.take(&equation)?;
            Ok(equation)
        });
        match checked {
            Err(faults) => {
                self.faults.extend(faults);
                // Names are bound all the same, so that their uses are not reported too.
                if let Target::Let(results) = &statement.target {
                    for (name, _) in results {
                        self.scene.bind(&name.text, self.scene.host.ident(name));
                    }
                }
                None
            }
            Ok(equation) => {
                let host = self.scene.host;
                self.record.extend(equation.warnings().iter().map(|warning| report::warning(host, warning)));
                self.straight = straight::straight(&self.scene, block, &equation);
                let recorded = equation::record(&self.scene, &equation);
                Some(Recorded { code: self.unwrap(recorded.code, statement) })
            }
        }
    }

    /// A recording's value or its failure, located at the equation.
    fn unwrap(&self, code: TokenStream, statement: &Statement) -> TokenStream {
        let span = self.scene.host.span(statement.span);
        match self.failure {
            Failure::Panic => quote_spanned!(span=> ::tensorwrapper::__private::unwrap(#code)),
            Failure::Return => emit!(#code?),
        }
    }

    fn bind(&mut self, results: &[(Name, LeftSide)], recorded: Recorded) {
        let names: Vec<_> = results.iter().map(|(name, _)| self.scene.host.ident(name)).collect();
        let code = recorded.code;
        let pattern = if let [name] = names.as_slice() { emit!(#name) } else { emit!((#(#names),*)) };
        self.record.extend(emit! {
            #[allow(non_snake_case)]
            let #pattern = #code;
        });
        for ((name, left), ident) in results.iter().zip(names) {
            self.scene.bind(&name.text, ident);
            self.numbers.push((name.text.clone(), left.indices.is_none()));
        }
    }

    /// Code that takes the block's value out of the computed results.
    fn value(&mut self, value: &BlockValue, block: &Block) -> TokenStream {
        match value {
            BlockValue::Nothing => emit!(()),
            BlockValue::Name(name) => self.exported(name),
            BlockValue::Names(names) => {
                let values: Vec<_> = names.iter().map(|name| self.exported(name)).collect();
                emit!((#(#values,)*))
            }
            BlockValue::Equation(statement) => {
                let Some(recorded) = self.equation(statement, block) else { return emit!(()) };
                let Target::Value(sides) = &statement.target else { unreachable!("a block's last equation is in value form") };
                let names: Vec<_> = (0..sides.len()).map(|n| own("value", n)).collect();
                let code = recorded.code;
                let pattern = if let [name] = names.as_slice() { emit!(#name) } else { emit!((#(#names),*)) };
                self.record.extend(emit!(let #pattern = #code;));
                let values: Vec<_> = names
                    .iter()
                    .zip(sides)
                    .map(|(name, side)| self.taken(&emit!(#name), side.indices.as_ref().is_none_or(Vec::is_empty)))
                    .collect();
                if let [value] = values.as_slice() { value.clone() } else { emit!((#(#values),*)) }
            }
        }
    }

    fn exported(&mut self, name: &Name) -> TokenStream {
        let Some(ident) = self.scene.local(&name.text) else {
            let fault = Diagnostic::new(Fault::Label, name.span, format!("`{}` is not bound in this block", name.text));
            let help = Some(format!("a block's value is made of names that it binds, `let {}[i, j] = …;`", name.text));
            self.faults.push(Diagnostic { help, ..fault });
            return emit!(());
        };
        let ident = self.scene.host.written(&ident.to_string(), self.scene.host.span(name.span));
        let is_number = self.numbers.iter().rev().find(|(known, _)| *known == name.text).is_some_and(|(_, number)| *number);
        self.taken(&emit!(#ident), is_number)
    }

    fn taken(&mut self, recording: &TokenStream, is_number: bool) -> TokenStream {
        self.sinks.push(emit!(::tensorwrapper::__private::sink(&#recording)));
        match is_number {
            true => emit!(::tensorwrapper::__private::Evaluator::take_number(__context, &#recording, &mut __results)),
            false => emit!(::tensorwrapper::__private::Evaluator::take_tensor(__context, &#recording, &mut __results)),
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
        self.scene.host.whole(span)
    }

    /// Record, compute, write, in this order. The order of the sinks is the order in which they are taken: the writes',
    /// then the value's.
    fn assemble(self, block: &Block, value: &TokenStream) -> TokenStream {
        let (values, names) = self.scene.scrutinee();
        let host = self.scene.host;
        let span = host.span(block.span);
        let (record, sinks) = (&self.record, &self.sinks);
        let context = match &block.context {
            Some(hole) => self.scene.context(hole),
            None => emit!(::tensorwrapper::__private::default_context()),
        };
        let compute = emit!(::tensorwrapper::__private::Evaluator::compute(__context, &[#(#sinks),*]));
        let compute = match self.failure {
            Failure::Panic => quote_spanned!(span=> ::tensorwrapper::__private::unwrap(#compute)),
            Failure::Return => emit!(#compute?),
        };
        let takes = self.writes.iter().map(|(take, ..)| take);
        let patches: Vec<_> = (0..self.writes.len()).map(|n| own("patch", n)).collect();
        let (result, wrap) = match self.failure {
            Failure::Panic => (emit!((__value, (#(#patches,)*))), None),
            Failure::Return => {
                (emit!(::core::result::Result::Ok::<_, ::tensorwrapper::Error>((__value, (#(#patches,)*)))), Some(emit!(?)))
            }
        };
        // A value of another type than expected is blamed where the value is written.
        let result_value = quote_spanned!(self.value_span(block).resolved_at(Span::mixed_site())=> __value);
        // With `?` inside, the computation is a closure of its own, and so is what follows it.
        let closure = emit! {
            || {
                let __context = #context;
                #record
                let mut __results = #compute;
                #(let #patches = #takes;)*
                let __value = #value;
                #result
            }
        };
        let computed = straight::call(self.straight.as_ref(), &closure, self.failure);
        let computed = emit!(match #values { #names => #computed });
        let writes = self.writes.iter().zip(&patches).map(|((_, to, place), patch)| emit!(#to(#patch, #place);));
        let write = match patches.is_empty() {
            true => TokenStream::new(),
            false => emit! {{
                #[allow(unused_imports)]
                use ::tensorwrapper::__private::BorrowPlace as _;
                #(#writes)*
            }},
        };
        match wrap {
            None => emit! {{
                let (__value, (#(#patches,)*)) = #computed;
                #write
                #result_value
            }},
            Some(_) => emit! {
                match #computed {
                    ::core::result::Result::Ok((__value, (#(#patches,)*))) => {
                        #write
                        ::core::result::Result::Ok::<_, ::tensorwrapper::Error>(__value)
                    }
                    ::core::result::Result::Err(__error) => ::core::result::Result::Err(__error),
                }
            },
        }
    }
}
