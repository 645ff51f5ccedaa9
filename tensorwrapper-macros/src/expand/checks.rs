//! Emits the compile-time checks of ranks and extents.
//!
//! For each check a local trait carries the sentence, because only the macro knows the names in it; the extents are
//! filled in by rustc. See `shape/check.rs` of the runtime for the other half.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote_spanned};
use tensorwrapper_notation::syntax::{Count, Range};
use tensorwrapper_notation::{Equation, Index, LabelId, sentence};

use super::scene::Scene;
use super::{at, own};

/// The variable that holds the mark of a label's extent, the most precise known.
pub(super) fn extent(label: LabelId) -> Ident {
    own("extent", label.0)
}

/// A label that is a constant in scope would be a label all the same, and its sum a surprise: this makes rustc say
/// that the name is a constant.
pub(super) fn labels_are_no_constants(scene: &Scene<'_>, equation: &Equation) -> TokenStream {
    let mut seen = HashSet::new();
    let labels = equation.labels().iter().filter(|label| seen.insert(label.name.as_str()));
    let names: Vec<Ident> = labels.map(|label| Ident::new(&label.name, scene.host.span(label.span))).collect();
    emit! {
        if false {
            #(#[allow(non_snake_case, unused_variables)] let #names = ();)*
        }
    }
}

/// Where a label's extent was seen.
#[derive(Clone)]
struct Place {
    text: String,
    axis: usize,
    mark: Ident,
    span: Span,
}

struct Checks<'s, 'h> {
    scene: &'s Scene<'h>,
    code: TokenStream,
    /// Where each label was seen first.
    first: HashMap<LabelId, Place>,
    /// Checks that were emitted: one for each label, operand and axis.
    done: HashSet<(LabelId, String, usize)>,
    /// Distinguishes the names of this equation's witnesses.
    equation: usize,
    witnesses: usize,
    /// The labels' names.
    names: Vec<String>,
}

/// The checks of an equation, and the marks of its labels' extents.
pub(super) fn checks(scene: &Scene<'_>, equation: &Equation, number: usize) -> TokenStream {
    let names = equation.labels().iter().map(|label| label.name.clone()).collect();
    let mut checks = Checks {
        scene,
        code: TokenStream::new(),
        first: HashMap::new(),
        done: HashSet::new(),
        equation: number,
        witnesses: 0,
        names,
    };
    let mut ranked = HashSet::new();
    for (n, operand) in equation.operands().iter().enumerate() {
        let name = own("operand", n);
        // With `..` the number of axes is not that of the indices.
        let rest = operand.indices.iter().position(|index| *index == Index::Rest);
        if rest.is_none() && ranked.insert((operand.hole.text.clone(), operand.indices.len())) {
            checks.rank(&name, &operand.hole.text, operand.indices.len(), scene.host.span(operand.hole.span));
        }
        for (axis, index) in operand.indices.iter().enumerate() {
            let is_known = rest.is_none_or(|rest| axis < rest);
            checks.axis(n, (axis, is_known), index, &operand.hole.text);
        }
    }
    for (n, label) in equation.labels().iter().enumerate() {
        if let Some(declared) = &label.declared {
            checks.declared(LabelId(n), declared);
        }
    }
    if let Some(factorise) = equation.factorise() {
        let labels = factorise.matrix_labels().map(|label| (label, equation.labels()[label.0].name.clone()));
        checks.square(labels);
    }
    checks.code
}

impl Checks<'_, '_> {
    /// A witness with its sentence: `{L}` and `{R}` are the two numbers.
    fn witness(&mut self, trait_name: &TokenStream, message: &str, label: &str) -> Ident {
        let number = self.witnesses;
        self.witnesses += 1;
        let sentence = format_ident!("__Sentence{}_{}", self.equation, number, span = Span::mixed_site());
        let witness = format_ident!("__Witness{}_{}", self.equation, number, span = Span::mixed_site());
        self.code.extend(emit! {
            #[diagnostic::on_unimplemented(message = #message, label = #label)]
            #[allow(non_camel_case_types)]
            trait #sentence<const L: usize, const R: usize> {}
            #[allow(non_camel_case_types)]
            enum #witness {}
            impl<const N: usize> #sentence<N, N> for () {}
            impl<const L: usize, const R: usize> ::tensorwrapper::__private::#trait_name<L, R> for #witness where (): #sentence<L, R> {}
        });
        witness
    }

    /// As many indices as axes.
    fn rank(&mut self, operand: &Ident, text: &str, given: usize, span: Span) {
        let message = sentence::rank(text, "{L}", given);
        let witness = self.witness(&emit!(FitsRank), &message, &format!("`{text}` has rank {{L}}"));
        let mixed = span.resolved_at(Span::mixed_site());
        let (operand, witness) = (at(operand, span), at(&witness, span));
        self.code.extend(quote_spanned! {mixed=>
            ::tensorwrapper::__private::check_rank::<_, #given>(#operand.shape()).__rank(::tensorwrapper::__private::witness::<#witness>());
        });
    }

    /// The mark of an axis, and its check against the label's first place.
    fn axis(&mut self, operand: usize, (axis, is_known): (usize, bool), index: &Index, text: &str) {
        let (label, label_span) = match index {
            Index::Label(label, span) | Index::Slice(label, _, span) => (*label, *span),
            Index::Fused(labels, span) => return self.fused(operand, axis, labels, *span, text),
            Index::Chip(_) | Index::Rest => return,
        };
        let span = self.scene.host.span(label_span);
        let mark = at(&format_ident!("__axis{}_{}", operand, axis), span);
        let mixed = span.resolved_at(Span::mixed_site());
        let operand = at(&own("operand", operand), span);
        self.code.extend(match index {
            Index::Slice(_, Range::Literal(start, Some(end), _), _) => {
                let length = end - start;
                quote_spanned!(mixed=> let #mark = ::tensorwrapper::__private::Mark::<::tensorwrapper::Const<#length>>::constant();)
            }
            _ if !is_known => quote_spanned!(mixed=> let #mark = ::tensorwrapper::__private::Mark::dynamic();),
            Index::Slice(..) => quote_spanned!(mixed=> let #mark = ::tensorwrapper::__private::Mark::dynamic();),
            _ => quote_spanned!(mixed=> let #mark = ::tensorwrapper::__private::mark_axis::<_, #axis>(#operand.shape()).__axis();),
        });
        self.meet(label, &Place { text: text.to_string(), axis, mark, span });
    }

    /// The labels of a fused axis: the run time finds and checks their extents.
    fn fused(&mut self, operand: usize, axis: usize, labels: &[LabelId], span: tensorwrapper_notation::Span, text: &str) {
        let span = self.scene.host.span(span);
        for (n, label) in labels.iter().enumerate() {
            let mark = at(&format_ident!("__axis{}_{}_{}", operand, axis, n), span);
            let mixed = span.resolved_at(Span::mixed_site());
            self.code.extend(quote_spanned!(mixed=> let #mark = ::tensorwrapper::__private::Mark::dynamic();));
            self.meet(*label, &Place { text: text.to_string(), axis, mark, span });
        }
    }

    /// An extent from `where`.
    fn declared(&mut self, label: LabelId, extent: &Count) {
        let (Count::Literal(_, span) | Count::Hole(tensorwrapper_notation::syntax::Hole { span, .. })) = extent;
        let span = self.scene.host.span(*span);
        let mark = at(&own("declared", label.0), span);
        let mixed = span.resolved_at(Span::mixed_site());
        self.code.extend(match extent {
            Count::Literal(extent, _) => {
                quote_spanned!(mixed=> let #mark = ::tensorwrapper::__private::Mark::<::tensorwrapper::Const<#extent>>::constant();)
            }
            Count::Hole(_) => quote_spanned!(mixed=> let #mark = ::tensorwrapper::__private::Mark::dynamic();),
        });
        self.meet(label, &Place { text: "where".to_string(), axis: 0, mark, span });
    }

    /// Two places of one label agree, and the more precise extent is the label's.
    fn meet(&mut self, label: LabelId, place: &Place) {
        let extent = extent(label);
        let mark = &place.mark;
        let Some(first) = self.first.get(&label).cloned() else {
            self.code.extend(emit!(let #extent = #mark;));
            self.first.insert(label, place.clone());
            return;
        };
        if first.text == place.text && first.axis == place.axis || !self.done.insert((label, place.text.clone(), place.axis)) {
            return;
        }
        let name = &self.names[label.0];
        let message = sentence::extent(name, (&first.text, first.axis, &"{L}"), (&place.text, place.axis, &"{R}"));
        let witness = self.witness(&emit!(AgreesWith), &message, &format!("`{name}` has extent {{R}} here"));
        self.pair(&witness, &first, place);
        self.code.extend(emit!(let #extent = ::tensorwrapper::__private::meet(#extent, #mark);));
    }

    /// Asks the witness about two marks: the callee stands at the first place, the argument at the second.
    fn pair(&mut self, witness: &Ident, first: &Place, place: &Place) {
        let mixed = place.span.resolved_at(Span::mixed_site());
        let (now, before, witness) = (at(&place.mark, place.span), at(&first.mark, place.span), at(witness, place.span));
        let check = quote_spanned!(first.span.resolved_at(Span::mixed_site())=> ::tensorwrapper::__private::check_agreement);
        self.code.extend(quote_spanned! {mixed=>
            let __tag = ::tensorwrapper::__private::AxisPair(#now, #before).__tag();
            let __witness = ::tensorwrapper::__private::witness::<#witness>();
            let __pair = ::tensorwrapper::__private::AxisPair(#now, #before);
            #check(__tag, __witness, __pair);
        });
    }

    /// Rows and columns of a decomposed matrix agree, and the new axis has their extent.
    fn square(&mut self, [(row, row_name), (column, column_name), (new, _)]: [(LabelId, String); 3]) {
        if let (Some(first), Some(second)) = (self.first.get(&row).cloned(), self.first.get(&column).cloned()) {
            let message = sentence::square(&row_name, &"{L}", &column_name, &"{R}");
            let witness = self.witness(&emit!(AgreesWith), &message, &format!("`{column_name}` has extent {{R}} here"));
            self.pair(&witness, &first, &second);
        }
        let (row, column, new) = (extent(row), extent(column), extent(new));
        self.code.extend(emit!(let #new = ::tensorwrapper::__private::meet(#row, #column);));
    }
}
