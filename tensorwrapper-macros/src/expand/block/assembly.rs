//! Assembles the code of a block: it evaluates the captures, types and runs the equations, takes the results and writes tensors.

use proc_macro2::{Span, TokenStream};
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

    /// Code that computes the recorded equations or their static form. It is the body of a closure, so that in a `const fn`, where
    /// nothing of it can be called, rustc reports one call and not each of them.
    fn computed(&self, recorded: TokenStream) -> TokenStream {
        let computed = static_expr::choose(self.static_form.as_ref(), recorded, self.failure);
        emit!(__tw::equations_are_computed_at_run_time(move || #computed))
    }

    /// Code that types the equations, runs them, takes the results and writes tensors, in this order. Results are taken in the order
    /// in which the run makes them: first those of writes, then those of the value.
    pub(super) fn assemble(self, block: &Block, value: &TokenStream) -> TokenStream {
        let (values, names) = self.environment.scrutinee();
        let span = self.environment.host.span(block.span);
        let (begin, typed) = (self.begin(block), &self.typed);
        let takes = self.writes.iter().map(|(take, ..)| take);
        let patches: Vec<_> = (0..self.writes.len()).map(|n| own("patch", n)).collect();
        let taken = emit! {
            #(let #patches = #takes;)*
            let __value = #value;
        };
        // Only what has several parts is a tuple: taking one apart drops it, which is a second error in a `const fn`.
        let (parts, pattern) = match patches.is_empty() {
            true => (emit!(__value), emit!(__value)),
            false => (emit!((__value, (#(#patches,)*))), emit!((__value, (#(#patches,)*)))),
        };
        // A value of another type than expected is reported where the value is written.
        let value_span = self.value_span(block).resolved_at(Span::mixed_site());
        let result = match block.value {
            BlockValue::Nothing => quote_spanned!(value_span=> __value),
            // Its function is `must_use`, so that rustc warns of a statement that drops the value.
            _ => quote_spanned!(value_span=> __tw::value(__value)),
        };
        let writes = self.writes.iter().zip(&patches).map(|((_, to, place), patch)| emit!(#to(#patch, #place);));
        let write = match patches.is_empty() {
            true => TokenStream::new(),
            false => emit! {{
                #[allow(unused_imports)]
                use __tw::BorrowPlace as _;
                #(#writes)*
            }},
        };
        let body = match self.failure {
            Failure::Panic => {
                let unwrap = |span: Span, code: &TokenStream| quote_spanned!(span=> __tw::unwrap(#code););
                let run = unwrap(span, &emit!(__tw::Evaluator::run(&mut __block)));
                // With several equations, each is recorded by itself, so that a panic is at its line.
                let record = match self.recipes.as_slice() {
                    [_] => TokenStream::new(),
                    several => {
                        let each = several.iter().map(|(_, span)| unwrap(*span, &emit!(__block.record())));
                        emit!(if __tw::Evaluator::is_new(&mut __block) { #(#each)* })
                    }
                };
                let recorded = emit! {{
                    #begin
                    #typed
                    #record
                    #run
                    #taken
                    #parts
                }};
                let computed = self.computed(recorded);
                emit! {
                    let #pattern = match #values { #names => #computed };
                    #write
                    #result
                }
            }
            Failure::Return => {
                let recorded = emit! {{
                    #begin
                    #typed
                    match __tw::Evaluator::run(&mut __block) {
                        ::core::result::Result::Ok(()) => {
                            #taken
                            ::core::result::Result::Ok::<_, __tw::Error>(#parts)
                        }
                        ::core::result::Result::Err(__error) => ::core::result::Result::Err(__error),
                    }
                }};
                let computed = self.computed(recorded);
                match patches.is_empty() {
                    true => emit!(match #values { #names => #computed }),
                    false => emit! {
                        let __run = match #values { #names => #computed };
                        match __run {
                            ::core::result::Result::Ok(#pattern) => {
                                #write
                                ::core::result::Result::Ok::<_, __tw::Error>(__value)
                            }
                            ::core::result::Result::Err(__error) => ::core::result::Result::Err(__error),
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
}
