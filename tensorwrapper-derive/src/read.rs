//! What a struct of tensors consists of.

use proc_macro2::Span;
use quote::format_ident;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Error, Fields, Generics, Ident, Member, Path, Result, Type, Visibility};

/// A struct of tensors.
pub(crate) struct Struct {
    pub(crate) name: Ident,
    /// The name of the struct of recorded values.
    pub(crate) recorded: Ident,
    pub(crate) visibility: Visibility,
    pub(crate) generics: Generics,
    pub(crate) is_tuple: bool,
    pub(crate) fields: Vec<Field>,
    /// What the library is called here.
    pub(crate) library: Path,
}

pub(crate) struct Field {
    pub(crate) member: Member,
    /// The name of its tensors.
    pub(crate) name: String,
    pub(crate) visibility: Visibility,
    pub(crate) ty: Type,
    /// Whether it holds no tensors.
    pub(crate) is_skipped: bool,
}

impl Struct {
    pub(crate) fn tensors(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| !field.is_skipped)
    }
}

/// Takes a struct apart.
///
/// # Errors
/// All that is wrong with it, each where it is.
pub(crate) fn read(input: DeriveInput) -> Result<Struct> {
    let Data::Struct(data) = input.data else {
        return Err(Error::new(
            input.ident.span(),
            "`Tensors` is for structs: which tensors an enum or a union holds is not known",
        ));
    };
    let mut faults = Faults(None);
    if let Some(lifetime) = input.generics.lifetimes().next() {
        faults.add(Error::new(lifetime.span(), "a struct of tensors owns what it holds, so that it has no lifetimes"));
    }
    let mut library = syn::parse_quote!(::tensorwrapper);
    faults.unwrap(attributes(&input.attrs, |choice| match choice {
        Choice::Library(path) => {
            library = path;
            Ok(())
        }
        Choice::Skip(span) => Err(Error::new(span, "`skip` is for fields")),
    }));
    let is_tuple = matches!(data.fields, Fields::Unnamed(_));
    let mut fields = Vec::new();
    for (n, field) in data.fields.into_iter().enumerate() {
        let mut is_skipped = false;
        faults.unwrap(attributes(&field.attrs, |choice| match choice {
            Choice::Skip(_) => {
                is_skipped = true;
                Ok(())
            }
            Choice::Library(path) => Err(Error::new(path.span(), "`crate` is for the struct")),
        }));
        let member = field.ident.map_or(Member::Unnamed(n.into()), Member::Named);
        let name = match &member {
            Member::Named(name) => name.to_string().trim_start_matches("r#").to_string(),
            Member::Unnamed(_) => n.to_string(),
        };
        fields.push(Field { member, name, visibility: field.vis, ty: field.ty, is_skipped });
    }
    if fields.iter().all(|field| field.is_skipped) {
        faults.add(Error::new(input.ident.span(), "a struct of tensors has at least one field that holds tensors"));
    }
    faults.none()?;
    let recorded = format_ident!("{}Recorded", input.ident);
    Ok(Struct { name: input.ident, recorded, visibility: input.vis, generics: input.generics, is_tuple, fields, library })
}

/// All errors so far.
struct Faults(Option<Error>);

impl Faults {
    fn add(&mut self, error: Error) {
        match &mut self.0 {
            Some(all) => all.combine(error),
            none => *none = Some(error),
        }
    }

    fn unwrap(&mut self, result: Result<()>) {
        if let Err(error) = result {
            self.add(error);
        }
    }

    fn none(self) -> Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}

/// What `#[tensors(…)]` can say.
enum Choice {
    Skip(Span),
    Library(Path),
}

fn attributes(attributes: &[Attribute], mut choose: impl FnMut(Choice) -> Result<()>) -> Result<()> {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("tensors")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("skip") {
                return choose(Choice::Skip(meta.path.span()));
            }
            if meta.path.is_ident("crate") {
                return choose(Choice::Library(meta.value()?.call(Path::parse_mod_style)?));
            }
            Err(meta.error("there are `#[tensors(skip)]` for fields and `#[tensors(crate = path)]` for the struct"))
        })?;
    }
    Ok(())
}
