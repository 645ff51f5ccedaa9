//! Statements in order, results out, writes at the end.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use tensorwrapper_notation::syntax::{Block, BlockValue, LeftSide, Name, Statement, Target};
use tensorwrapper_notation::{Diagnostic, Fault, check};

use super::equation::{self, Recorded};
use super::scene::Scene;
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
    faults: Vec<Diagnostic>,
}

/// Expands a block.
pub(super) fn expand(host: &Host, block: &Block, failure: Failure) -> Result<TokenStream, Vec<Diagnostic>> {
    let mut emission = Emission {
        scene: Scene::new(host),
        failure,
        record: TokenStream::new(),
        sinks: Vec::new(),
        numbers: Vec::new(),
        writes: Vec::new(),
        faults: Vec::new(),
    };
    for statement in &block.statements {
        emission.statement(statement, block);
    }
    let value = emission.value(&block.value, block);
    if emission.sinks.is_empty() && emission.faults.is_empty() {
        let fault = Diagnostic::new(
            Fault::Label,
            block.span,
            "this block computes nothing: no result leaves it and no tensor is written",
        );
        let help = Some("end it with the names that it is for: `(W, E)`".to_string());
        emission.faults.push(Diagnostic { help, ..fault });
    }
    if !emission.faults.is_empty() {
        return Err(emission.faults);
    }
    Ok(emission.assemble(block, &value))
}

impl Emission<'_> {
    fn statement(&mut self, statement: &Statement, block: &Block) {
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
                let take = emit!(::tensorwrapper::__private::take_patch(__context, &#write, &mut __results));
                let to = quote_spanned!(span=> <_ as ::tensorwrapper::__private::WriteTarget<_>>::write);
                self.writes.push((take, emit!(#to), emit!(#place.__place())));
            }
            Target::Value(_) => {
                let span = statement.span;
                let fault = Diagnostic::new(Fault::Syntax, span, "an equation in value form is the last line of a block");
                self.faults.push(Diagnostic { help: Some("name its result: `let C[i, j] = …;`".to_string()), ..fault });
            }
        }
    }

    /// Checks one equation and emits its recording; `None` where it is wrong.
    fn equation(&mut self, statement: &Statement, block: &Block) -> Option<Recorded> {
        match check(statement, &block.declarations) {
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
                self.scene.take(&equation);
                let host = self.scene.host;
                self.record.extend(equation.warnings().iter().map(|warning| report::warning(host, warning)));
                let recorded = equation::record(&self.scene, &equation);
                Some(Recorded { code: self.unwrap(recorded.code, statement), ..recorded })
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
        let ident = proc_macro2::Ident::new(&ident.to_string(), self.scene.host.span(name.span));
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

    /// Record, compute, write, in this order. The order of the sinks is the order in which they are taken: the writes',
    /// then the value's.
    fn assemble(self, block: &Block, value: &TokenStream) -> TokenStream {
        let (values, names) = self.scene.scrutinee();
        let host = self.scene.host;
        let span = host.span(block.span);
        let (record, sinks) = (&self.record, &self.sinks);
        let context = match &block.context {
            Some(hole) => {
                let into = quote_spanned!(host.blame(hole)=> <_ as ::tensorwrapper::__private::IntoContext<'_>>::context);
                let tokens = host.tokens(hole);
                emit!(#into(#tokens))
            }
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
        // With `?` inside, the computation is a closure of its own, and so is what follows it.
        let computed = emit! {
            match #values {
                #names => (|| {
                    let __context = #context;
                    #record
                    let mut __results = #compute;
                    #(let #patches = #takes;)*
                    let __value = #value;
                    #result
                })()
            }
        };
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
                __value
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
