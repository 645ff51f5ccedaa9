//! Assembles the code of a block: it evaluates the captures, types and runs the equations, takes the results and writes tensors.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use tensorwrapper_notation::syntax::{Block, BlockValue};

use super::super::failure::Failure;
use super::super::hygiene::{own, private_module};
use super::super::static_expr;
use super::Emission;

impl Emission<'_> {
    /// Code that declares what is known before the program runs, and begins a run.
    fn begin(&self, block: &Block) -> TokenStream {
        let (recipes, sinks) = (self.recipes.iter().map(|(recipe, _)| recipe), &self.sinks);
        let (operands, names) = self.environment.operands();
        let context = match &block.context {
            Some(hole) => {
                let context = self.environment.context(hole);
                emit!(#context)
            }
            None => emit!(__tw::default_context()),
        };
        // Truth values are read by the context, too.
        let (held, context) = match self.environment.has_masks() {
            true => (emit!(let __context = #context;), emit!(__context)),
            false => (TokenStream::new(), context),
        };
        emit! {
            #held
            static __SITE: __tw::CallSite = __tw::CallSite::new(&[#(#recipes),*], &[#(#sinks),*]);
            #operands
            let __tensors = [#(#names),*];
            let mut __block = __tw::begin(&__SITE, #context, &__tensors);
        }
    }

    /// Code that types the equations, runs them, takes the results and writes tensors, in this order. Results are taken in the order
    /// in which the run makes them: first those of writes, then those of the value.
    ///
    /// What computes is the body of a closure, so that in a `const fn`, where nothing of it can be called, rustc reports one call and not
    /// each of them. What fails is told by the function that calls the closure, in the name of whoever called a function that tracks its
    /// caller.
    pub(super) fn assemble(self, block: &Block, value: &TokenStream) -> TokenStream {
        let (values, names) = self.environment.scrutinee();
        let span = self.environment.host.span(block.span);
        // A value of another type than expected is reported where the value is written.
        let value_span = self.value_span(block).resolved_at(Span::mixed_site());
        let result = match block.value {
            BlockValue::Nothing => quote_spanned!(value_span=> __value),
            // Its function is `must_use`, so that rustc warns of a statement that drops the value.
            _ => quote_spanned!(value_span=> __tw::value(__value)),
        };
        // Only what has several parts is a tuple: taking one apart drops it, which is a second error in a `const fn`.
        let patches: Vec<_> = (0..self.writes.len()).map(|n| own("patch", n)).collect();
        let parts = if patches.is_empty() { emit!(__value) } else { emit!((__value, (#(#patches,)*))) };
        let computed = static_expr::choose(self.static_form.as_ref(), self.recorded(block, value, &parts), self.failure);
        let write = self.write(&patches);
        let body = match self.failure {
            Failure::Panic => {
                let compute = quote_spanned!(span=> __tw::equations_are_computed_at_run_time(move || #computed));
                emit! {
                    let #parts = match #values { #names => #compute };
                    #write
                    #result
                }
            }
            Failure::Return => {
                let compute = emit!(__tw::equations_are_tried_at_run_time(move || #computed));
                match patches.is_empty() {
                    true => emit!(match #values { #names => #compute }),
                    false => emit! {
                        let __run = match #values { #names => #compute };
                        match __run {
                            __tw::Ok(#parts) => {
                                #write
                                __tw::Ok::<_, __tw::Error>(__value)
                            }
                            __tw::Err(__error) => __tw::Err(__error),
                        }
                    },
                }
            }
        };
        let (root, private) = (self.environment.host.root(), private_module());
        emit! {{
            #[allow(unused_imports)]
            use #root::#private::{self as __tw, checks::*};
            #body
        }}
    }

    /// Code that records the equations and computes them: its value is a result of these parts.
    fn recorded(&self, block: &Block, value: &TokenStream, parts: &TokenStream) -> TokenStream {
        let (begin, typed) = (self.begin(block), &self.typed);
        let takes = self.writes.iter().enumerate().map(|(n, (take, ..))| {
            let patch = own("patch", n);
            emit!(let #patch = #take;)
        });
        // Where a panic tells of a fault and there are several equations, each is recorded by itself, so that the panic is at its line.
        let record = match (self.failure, self.recipes.as_slice()) {
            (Failure::Panic, several @ [_, _, ..]) => {
                let record = emit!(__block.record());
                let each = several.iter().map(|(_, span)| quote_spanned!(*span=> __tw::unwrap(#record);));
                emit!(if __tw::Evaluator::is_new(&mut __block) { #(#each)* })
            }
            _ => TokenStream::new(),
        };
        emit! {{
            #begin
            #typed
            #record
            match __tw::Evaluator::run(&mut __block) {
                __tw::Ok(()) => {
                    #(#takes)*
                    let __value = #value;
                    __tw::Ok::<_, __tw::Error>(#parts)
                }
                __tw::Err(__error) => __tw::Err(__error),
            }
        }}
    }

    /// Code that writes the computed parts into tensors.
    fn write(&self, patches: &[Ident]) -> TokenStream {
        if patches.is_empty() {
            return TokenStream::new();
        }
        let writes = self.writes.iter().zip(patches).map(|((_, to, place), patch)| emit!(#to(#patch, #place);));
        emit! {{
            #[allow(unused_imports)]
            use __tw::BorrowPlace as _;
            #(#writes)*
        }}
    }
}
