//! Emits the compile-time checks of ranks, extents and positions.
//!
//! `emitter` has the state that the checks of one equation share; `fused`, `factorise` and `claims` emit the checks of fused axes,
//! of linear algebra and of claims of symmetry.
//!
//! Two extents are compared at compile time only if both are constants; the recorder checks everything else at run time. Both
//! take their messages from `sentence.rs` of the notation.

mod claims;
mod emitter;
mod factorise;
mod fused;

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use tensorwrapper_notation::syntax::{Count, Range};
use tensorwrapper_notation::{Equation, Index, LabelId, Operand, sentence};

use super::environment::{Environment, first_of_spelling};
use emitter::{Axis, Checks, Occurrence, Wording, given};
pub(super) use emitter::{extent, product};

/// Code that makes rustc report labels that are names of constants: they would be labels all the same, and summed unexpectedly.
pub(super) fn labels_are_no_constants(environment: &Environment<'_>, equation: &Equation) -> TokenStream {
    let mut seen = HashSet::new();
    let labels = equation.labels().iter().filter(|label| seen.insert(label.name.trim_start_matches("r#")));
    let names: Vec<Ident> = labels
        .filter_map(|label| environment.host.label(&label.name, label.span))
        .map(|mut name| {
            name.set_span(name.span().resolved_at(Span::mixed_site()));
            name
        })
        .collect();
    if names.is_empty() {
        return TokenStream::new();
    }
    let checks = names.iter().map(|name| {
        let check = quote_spanned!(name.span()=> <_ as __tw::IsNewName>::check);
        emit!(#check(__tw::Label(#name));)
    });
    emit!(if false { let (#(#names,)*) = __tw::labels(); #(#checks)* })
}

/// Code with the checks of an equation and the marks of its labels' extents.
pub(super) fn checks(environment: &Environment<'_>, equation: &Equation, operands: &[Ident]) -> TokenStream {
    let mut checks = Checks::new(environment, equation, operands);
    let mut ranked = HashSet::new();
    let differentiated: HashSet<usize> = equation.gradients().iter().map(|[value, _]| value.0).collect();
    for (n, operand) in equation.operands().iter().enumerate() {
        let (first, indices) = (first_of_spelling(equation, n), operand.indices.len());
        // With `..` the number of axes is not that of the indices, and the axes behind it are counted at run time.
        let has_rest = operand.indices.contains(&Index::Rest);
        if !has_rest && ranked.insert((first, indices)) {
            checks.rank(first, operand, differentiated.contains(&n));
        }
        for (number, index) in operand.indices.iter().enumerate() {
            let axis = Axis { operand: first, number, indices };
            if has_rest {
                checks.unknown(axis, index, &operand.hole.text);
            } else {
                checks.axis(axis, index, &operand.hole.text);
            }
        }
    }
    // After the operands, as at run time, so that messages name the places in the same order.
    for (n, label) in equation.labels().iter().enumerate() {
        if let Some(declared) = &label.declared {
            checks.declared(LabelId(n), declared);
        }
    }
    fused::fused(&mut checks, equation);
    claims::claims(&mut checks, equation);
    if let Some(factorise) = equation.factorise() {
        factorise::new_axes(&mut checks, factorise);
    }
    checks.code
}

impl Checks<'_, '_> {
    /// Emits the check that an operand has as many indices as axes.
    fn rank(&mut self, operand: usize, Operand { hole, indices, layers, has_no_rest, .. }: &Operand, is_differentiated: bool) {
        let count = indices.len();
        let message = sentence::rank(&hole.text, "{L}", count);
        let label = format!("`{}` has rank {{L}}", hole.text);
        let is_number = is_differentiated && count == 0;
        let note = if *has_no_rest { Some(sentence::NO_REST) } else { is_number.then_some(sentence::GRADIENT_OF_A_TENSOR) };
        let (span, operand) = (self.environment.host.blame(hole), &self.operands[operand]);
        let unit = quote_spanned!(span=> ());
        let count = given(count);
        let numbers = emit!(__tw::check_rank(#operand.shape(), #count));
        self.demand(&unit, "SameRank", span, Wording { message: &message, label: &label, note }, &numbers);
        if !layers.is_empty() {
            let (check, form) = (quote_spanned!(span=> <_ as __tw::InLayers>::check), quote_spanned!(span=> #operand.form()));
            self.code.extend(emit!(#check(#form);));
        }
    }

    /// Emits the checks of one index: a position is on the axis, a label has one extent.
    fn axis(&mut self, axis: Axis, index: &Index, text: &str) {
        let Axis { operand, number, indices } = axis;
        let key = format!("{operand}.{number}.{indices}");
        let (label, span, key, mark) = match index {
            Index::Chip(Count::Literal(position, span)) => {
                return self.located(axis, text, &position.to_string(), *position, self.environment.host.span(*span));
            }
            Index::Chip(Count::Hole(_)) | Index::Rest => return,
            Index::Fused(..) => return self.unknown(axis, index, text),
            Index::Label(label, span) => (label, span, key, self.mark(axis)),
            Index::Slice(label, Range::Literal(start, end, range_span), span) => {
                let written = format!("{start}..{}", end.map_or(String::new(), |end| end.to_string()));
                if let Some(last) = end.unwrap_or(*start).checked_sub(1) {
                    self.located(axis, text, &written, last, self.environment.host.span(*range_span));
                }
                let mark = self.extent_mark(end.map(|end| end - start));
                (label, span, format!("{key} in {written}"), mark)
            }
            Index::Slice(label, Range::Hole(hole), span) => {
                (label, span, format!("{key} in {}", hole.text), self.extent_mark(None))
            }
        };
        let span = self.environment.host.span(*span);
        self.meet(*label, &Occurrence { text: text.to_string(), axis: number, key, mark, span });
    }

    /// Emits the check that a constant position is on its axis.
    fn located(&mut self, axis: Axis, text: &str, written: &str, position: usize, span: Span) {
        let mark = self.mark(axis);
        let message = sentence::bounds(written, text, axis.number, "{N}");
        let label = format!("axis {} of `{text}` has extent {{N}}", axis.number);
        let item = self.item("WithinExtent", span);
        let unit = quote_spanned!(span=> ());
        let ask = quote_spanned!(span=> <#unit as #item<_, _>>::check);
        self.code.extend(emit! {
            #[diagnostic::on_unimplemented(message = #message, label = #label)]
            trait #item<const N: __tw::usize, const INSIDE: __tw::bool> {
                fn check(_: __tw::Located<{ N }, { INSIDE }>) {}
            }
            #[diagnostic::do_not_recommend]
            impl<const N: __tw::usize> #item<{ N }, true> for () {}
            #[diagnostic::do_not_recommend]
            impl #item<4294967295, false> for () {}
            #ask(__tw::Position::<_, #position>::on(#mark).__locate());
        });
    }

    /// Registers labels whose extents are not known here: those of a fused axis, and those of an operand with `..`.
    fn unknown(&mut self, Axis { operand, number, indices }: Axis, index: &Index, text: &str) {
        let (Index::Fused(_, span) | Index::Label(_, span) | Index::Slice(_, _, span)) = index else { return };
        let span = self.environment.host.span(*span);
        for (n, label) in index.labels().iter().enumerate() {
            let key = format!("{operand}.{number}.{indices}.{n}");
            let mark = self.extent_mark(None);
            self.meet(*label, &Occurrence { text: text.to_string(), axis: number, key, mark, span });
        }
    }

    /// Registers an extent from `where`.
    fn declared(&mut self, label: LabelId, extent: &Count) {
        let (mark, span) = match extent {
            Count::Literal(extent, span) => (self.extent_mark(Some(*extent)), self.environment.host.span(*span)),
            Count::Hole(hole) => (self.extent_mark(None), self.environment.host.blame(hole)),
        };
        let key = format!("where {}", label.0);
        self.meet(label, &Occurrence { text: "where".to_string(), axis: 0, key, mark, span });
    }
}
