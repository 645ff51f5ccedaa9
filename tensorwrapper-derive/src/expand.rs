//! The code for a struct of tensors: its recorded form, and the traits of both.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Generics, parse_quote};

use super::read::{Field, Struct};

pub(crate) fn expand(of: &Struct) -> TokenStream {
    let code = Code::new(of);
    let parts = [code.recorded_struct(), code.owned(), code.recorded(), code.evaluation(), code.checks()];
    quote!(#(#parts)*)
}

fn mentions(code: TokenStream, name: &syn::Ident) -> bool {
    code.into_iter().any(|token| match token {
        TokenTree::Ident(found) => found == *name,
        TokenTree::Group(group) => mentions(group.stream(), name),
        _ => false,
    })
}

/// The same code at another place of the program, where errors in it are reported.
fn located(code: TokenStream, span: Span) -> TokenStream {
    let one = |mut token: TokenTree| {
        match &mut token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), located(group.stream(), span));
                inner.set_span(span);
                *group = inner;
            }
            token => token.set_span(span),
        }
        token
    };
    code.into_iter().map(one).collect()
}

/// What all parts of the code need.
struct Code<'s> {
    of: &'s Struct,
    /// The module of the library with what is used here.
    library: TokenStream,
    /// The element type.
    elem: TokenStream,
    /// The parameters of the struct, and those of the recorded one; both know that every field is one.
    generics: Generics,
    recorded_generics: Generics,
}

impl<'s> Code<'s> {
    fn new(of: &'s Struct) -> Code<'s> {
        let path = &of.library;
        let library = quote!(#path::__private::structs);
        let first = &of.tensors().next().expect("there is one").ty;
        let elem = quote!(<#first as #library::HasElements>::Elem);
        let mut generics = of.generics.clone();
        let bounds = &mut generics.make_where_clause().predicates;
        // Where a bound does not hold, it is reported at the field, and nothing that follows from it.
        for (n, Field { ty, .. }) in of.tensors().enumerate() {
            let bound = match n {
                0 => quote!(#ty: #library::HasElements),
                _ => quote!(#ty: #library::Member<#elem>),
            };
            let bound = located(bound, ty.span());
            bounds.push(parse_quote!(#bound));
        }
        let mut recorded_generics = generics.clone();
        recorded_generics.params.insert(0, parse_quote!('a));
        Code { of, library, elem, generics, recorded_generics }
    }

    /// A struct of the values of all fields.
    fn built(&self, name: &syn::Ident, value: impl Fn(&Field) -> TokenStream) -> TokenStream {
        let fields = self.of.fields.iter().map(|field| {
            let (member, value) = (&field.member, value(field));
            quote!(#member: #value)
        });
        quote!(#name { #(#fields),* })
    }

    fn cloned(&self, field: &Field) -> TokenStream {
        let member = &field.member;
        quote_spanned!(field.ty.span()=> ::core::clone::Clone::clone(&self.#member))
    }

    fn recorded_struct(&self) -> TokenStream {
        let Struct { name, recorded, visibility, is_tuple, .. } = self.of;
        let (library, elem, generics) = (&self.library, &self.elem, &self.recorded_generics);
        let fields = self.of.fields.iter().map(|field| {
            let Field { member, visibility, ty, is_skipped, .. } = field;
            let ty = match is_skipped {
                true => quote!(#ty),
                false => quote!(<#ty as #library::Member<#elem>>::Recorded<'a>),
            };
            let doc = match is_skipped {
                true => "The same as in the struct of tensors.",
                false => "Recorded.",
            };
            match member {
                syn::Member::Named(name) => quote!(#[doc = #doc] #visibility #name: #ty),
                syn::Member::Unnamed(_) => quote!(#[doc = #doc] #visibility #ty),
            }
        });
        let bounds = &generics.where_clause;
        let body = if *is_tuple { quote!((#(#fields),*) #bounds;) } else { quote!(#bounds { #(#fields),* }) };
        let doc = format!("Recorded values in place of the tensors of [`{name}`].");
        let (impl_generics, types, bounds) = generics.split_for_impl();
        let clone = self.built(recorded, |field| self.cloned(field));
        quote! {
            #[doc = #doc]
            #[allow(missing_debug_implementations)]
            #visibility struct #recorded #generics #body

            #[automatically_derived]
            impl #impl_generics ::core::clone::Clone for #recorded #types #bounds {
                fn clone(&self) -> Self {
                    #clone
                }
            }
        }
    }

    /// The traits of the struct of tensors.
    fn owned(&self) -> TokenStream {
        let Struct { name, recorded, .. } = self.of;
        let (library, elem) = (&self.library, &self.elem);
        let (impl_generics, types, bounds) = self.generics.split_for_impl();
        let (_, recorded_types, _) = self.recorded_generics.split_for_impl();
        let record = self.built(recorded, |field| match field.is_skipped {
            true => self.cloned(field),
            false => self.call(field, &format_ident!("recorded"), &quote!()),
        });
        let each = |method: &str| {
            let method = format_ident!("{method}");
            let fields: Vec<_> = (self.of.tensors())
                .map(|field| {
                    let (name, call) = (&field.name, self.call(field, &method, &quote!(name, visitor)));
                    quote!(name.within(#name, |name| #call);)
                })
                .collect();
            quote!(#(#fields)*)
        };
        let (each, each_mut) = (each("each"), each("each_mut"));
        let copy = self.built(name, |field| match field.is_skipped {
            true => self.cloned(field),
            false => self.call(field, &format_ident!("cloned_member"), &quote!()),
        });
        let read = self.built(name, |field| {
            let (ty, name) = (&field.ty, &field.name);
            match field.is_skipped {
                true => quote_spanned!(ty.span()=> <#ty as ::core::default::Default>::default()),
                false => quote!(name.within(#name, |name| <#ty as #library::Member<#elem>>::read_from(name, saved))?),
            }
        });
        quote! {
            #[automatically_derived]
            impl #impl_generics #library::HasElements for #name #types #bounds {
                type Elem = #elem;
            }
            #[automatically_derived]
            impl #impl_generics #library::Tensors for #name #types #bounds {}
            #[automatically_derived]
            impl #impl_generics #library::Member<#elem> for #name #types #bounds {
                type Recorded<'a> = #recorded #recorded_types;
                fn recorded(&self) -> Self::Recorded<'_> {
                    #record
                }
                fn cloned_member(&self) -> Self {
                    #copy
                }
                fn each<'t>(&'t self, name: &mut #library::Name, visitor: &mut dyn #library::Visitor<'t, #elem>) {
                    #each
                }
                fn each_mut(
                    &mut self,
                    name: &mut #library::Name,
                    visitor: &mut dyn ::core::ops::FnMut(&::core::primitive::str, #library::TensorMut<'_, #elem>),
                ) {
                    #each_mut
                }
                fn read_from(
                    name: &mut #library::Name,
                    saved: &mut #library::Saved,
                ) -> ::core::result::Result<Self, #library::Error> {
                    ::core::result::Result::Ok(#read)
                }
            }
        }
    }

    /// A method of a field.
    fn call(&self, field: &Field, method: &syn::Ident, arguments: &TokenStream) -> TokenStream {
        let (library, elem) = (&self.library, &self.elem);
        let Field { member, ty, .. } = field;
        let reference = if method == "each_mut" { quote!(&mut) } else { quote!(&) };
        quote!(<#ty as #library::Member<#elem>>::#method(#reference self.#member, #arguments))
    }

    /// The traits of the recorded struct.
    fn recorded(&self) -> TokenStream {
        let Struct { name, recorded, .. } = self.of;
        let library = &self.library;
        let (impl_generics, types, bounds) = self.recorded_generics.split_for_impl();
        let (_, owned_types, _) = self.generics.split_for_impl();
        let (members, names): (Vec<_>, Vec<_>) = self.of.tensors().map(|field| (&field.member, &field.name)).unzip();
        let made = |name, method: &str, source: &str| {
            let (method, source) = (format_ident!("{method}"), format_ident!("{source}"));
            self.built(name, |field| match (field.is_skipped, &field.member) {
                (true, _) => self.cloned(field),
                (false, member) => quote!(#library::RecordedTensors::#method(&self.#member, #source)?),
            })
        };
        let (like, tensors) = (made(recorded, "like", "values"), made(name, "tensors", "computed"));
        let mut variable_generics = self.recorded_generics.clone();
        variable_generics.params.insert(0, parse_quote!('v));
        let (variable_impl_generics, _, _) = variable_generics.split_for_impl();
        quote! {
            #[automatically_derived]
            impl #impl_generics #library::RecordedTensors<'a> for #recorded #types #bounds {
                type Tensors = #name #owned_types;
                fn values(&self, all: &mut ::std::vec::Vec<#library::AnyValue<'a>>) {
                    #(#library::RecordedTensors::values(&self.#members, all);)*
                }
                fn names(&self, name: &mut #library::Name, all: &mut ::std::vec::Vec<::std::string::String>) {
                    #(name.within(#names, |name| #library::RecordedTensors::names(&self.#members, name, all));)*
                }
                fn like(
                    &self,
                    values: &mut #library::Queue<#library::AnyValue<'a>>,
                ) -> ::core::result::Result<Self, #library::Error> {
                    ::core::result::Result::Ok(#like)
                }
                fn tensors(
                    &self,
                    computed: &mut #library::Queue<#library::AnyTensor>,
                ) -> ::core::result::Result<Self::Tensors, #library::Error> {
                    ::core::result::Result::Ok(#tensors)
                }
            }
            #[automatically_derived]
            impl #variable_impl_generics #library::VariableStruct<'v, 'a> for #recorded #types #bounds {
                type Recorded = Self;
                fn recorded(&'v self) -> Self {
                    ::core::clone::Clone::clone(self)
                }
            }
        }
    }

    /// The bounds of the traits again, of fields that depend on parameters: where a bound has parameters, the compiler asks whether it
    /// holds only where it is used.
    fn checks(&self) -> TokenStream {
        let (library, elem) = (&self.library, &self.elem);
        let has_parameter = |field: &&Field| {
            self.of.generics.params.iter().any(|parameter| match parameter {
                syn::GenericParam::Type(of_types) => mentions(field.ty.to_token_stream(), &of_types.ident),
                syn::GenericParam::Const(of_values) => mentions(field.ty.to_token_stream(), &of_values.ident),
                syn::GenericParam::Lifetime(_) => false,
            })
        };
        let checks = self.of.tensors().filter(has_parameter).map(|field| {
            let ty = &field.ty;
            located(quote!(is_member::<#elem, #ty>();), ty.span())
        });
        let (impl_generics, _, bounds) = self.of.generics.split_for_impl();
        quote! {
            const _: () = {
                #[allow(dead_code)]
                fn is_member<E: #library::Element, F: #library::Member<E>>() {}
                #[allow(dead_code)]
                fn fields #impl_generics() #bounds {
                    #(#checks)*
                }
            };
        }
    }

    /// The methods of the recorded struct.
    fn evaluation(&self) -> TokenStream {
        let Struct { name, recorded, visibility, .. } = self.of;
        let library = &self.library;
        let (impl_generics, types, bounds) = self.recorded_generics.split_for_impl();
        let (_, owned_types, _) = self.generics.split_for_impl();
        quote! {
            #[allow(dead_code)]
            impl #impl_generics #recorded #types #bounds {
                /// Computes all values at once: what they share is computed once.
                ///
                /// # Errors
                /// What computing reports.
                #visibility fn eval(&self) -> ::core::result::Result<#name #owned_types, #library::Error> {
                    #library::RecordedTensors::eval(self)
                }
            }
        }
    }
}
