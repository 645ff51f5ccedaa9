//! Reports faults and warnings as errors and warnings of the compiler.
//!
//! An error is a `compile_error!` in expression position. Such an expression has the error type, so rustc reports nothing else
//! about its value. A warning is a use of a deprecated macro, because stable Rust offers a macro no other way to warn.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use tensorwrapper_notation::Diagnostic;

use crate::host::Host;

/// Code with one error for each fault, at its tokens. As an expression it has the error type, so that rustc reports nothing else
/// about the value of the macro.
pub(crate) fn faults(host: &Host, mut faults: Vec<Diagnostic>) -> TokenStream {
    faults.sort_by_key(|fault| fault.span.start);
    let errors = faults.iter().map(|fault| error(host, fault));
    quote!({ #(#errors);* })
}

fn error(host: &Host, fault: &Diagnostic) -> TokenStream {
    let message = sentence(fault);
    // The span of a macro call reaches from its path to its group: from the first token at fault to the last.
    let (start, end) = (host.span(fault.span), host.end(fault.span));
    let path = quote_spanned!(start=> ::core::compile_error!);
    let mut message = Group::new(proc_macro2::Delimiter::Parenthesis, quote_spanned!(end=> #message));
    message.set_span(end);
    let group = TokenTree::Group(message);
    quote!(#path #group)
}

fn sentence(fault: &Diagnostic) -> String {
    match &fault.help {
        Some(help) => format!("{}\nhelp: {help}", fault.message),
        None => fault.message.clone(),
    }
}

/// Code with a warning at a token. On stable Rust a macro can warn only by using something deprecated. That is a macro again, because of
/// anything else rustc prints the path of the function around it.
pub(crate) fn warning(host: &Host, warning: &Diagnostic) -> TokenStream {
    let note = sentence(warning);
    let span = host.span(warning.span).resolved_at(Span::mixed_site());
    let name = warning.warning.name();
    let (used, made) = (Ident::new(name, span), Ident::new(name, Span::mixed_site()));
    quote! {
        {
            #[deprecated(note = #note)]
            macro_rules! #made {
                () => {
                    ()
                };
            }
            let () = #used!();
        }
    }
}
