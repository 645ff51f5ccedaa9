//! Emits the checks of fused axes: the product of the labels' extents is the axis's extent, and an unknown extent is the quotient.

use std::collections::HashSet;

use proc_macro2::Span;
use quote::quote_spanned;
use tensorwrapper_notation::{Equation, Index, LabelId, sentence};

use super::emitter::{Axis, Checks, Wording, extent, product};
use crate::expand::environment::first_of_spelling;

/// One fused index, on an axis whose extent may be known.
struct Fused<'e> {
    axis: Axis,
    labels: &'e [LabelId],
    text: &'e str,
    span: Span,
}

/// Emits the checks of all fused axes, after all other occurrences of their labels.
pub(super) fn fused(checks: &mut Checks<'_, '_>, equation: &Equation) {
    let mut seen = HashSet::new();
    for (n, operand) in equation.operands().iter().enumerate() {
        if operand.indices.contains(&Index::Rest) {
            continue;
        }
        for (number, index) in operand.indices.iter().enumerate() {
            let Index::Fused(labels, span) = index else { continue };
            let axis = Axis { operand: first_of_spelling(equation, n), number, indices: operand.indices.len() };
            if seen.insert((axis, labels)) {
                let span = checks.environment.host.span(*span);
                checks.fused(&Fused { axis, labels, text: &operand.hole.text, span });
            }
        }
    }
}

impl Checks<'_, '_> {
    fn fused(&mut self, fused: &Fused<'_>) {
        let (axis, product) = (self.mark(fused.axis), product(fused.labels));
        let unit = quote_spanned!(fused.span=> ());
        let message = self.sentence(fused, "{L}");
        let numbers = emit!(__tw::AxisPair(#product, #axis));
        let label = "the extents multiply to {L} here, not to {R}";
        self.demand(&unit, "MultipliesOut", fused.span, Wording { message: &message, label, note: None }, &numbers);
        for (n, label) in fused.labels.iter().enumerate() {
            let others: Vec<LabelId> = fused.labels.iter().enumerate().filter(|(m, _)| *m != n).map(|(_, l)| *l).collect();
            self.divides(fused, *label, &others);
        }
    }

    fn sentence(&self, fused: &Fused<'_>, product: &str) -> String {
        let names: Vec<&str> = fused.labels.iter().map(|label| self.names[label.0].as_str()).collect();
        sentence::fused(&names, product, fused.text, fused.axis.number, "{R}")
    }

    /// Emits the check that the other labels' extents divide the axis's, and the quotient as this label's extent if it is unknown.
    fn divides(&mut self, fused: &Fused<'_>, label: LabelId, others: &[LabelId]) {
        let (axis, own_extent, others) = (self.mark(fused.axis), extent(label), product(others));
        let rest = self.own_extent();
        let item = self.item("Divides", fused.span);
        let (message, name) = (self.sentence(fused, "{L}·?"), &self.names[label.0]);
        let caret = format!("no extent of `{name}` makes {{R}} of {{L}}");
        let ask = quote_spanned!(fused.span=> <() as #item<_, _, _>>::check);
        self.code.extend(emit! {
            let #rest = #others;
            #[diagnostic::on_unimplemented(message = #message, label = #caret)]
            #[allow(non_camel_case_types)]
            trait #item<const L: __tw::usize, const R: __tw::usize, const EVENLY: __tw::bool> {
                fn check(_: __tw::Divided<{ L }, { R }, { EVENLY }>) {}
            }
            #[diagnostic::do_not_recommend]
            impl<const L: __tw::usize, const R: __tw::usize> #item<{ L }, { R }, true> for () {}
            #[diagnostic::do_not_recommend]
            impl #item<{ 4294967295 }, { 4294967295 }, false> for () {}
            #ask(__tw::Division::of(#own_extent, #axis, #rest).__divide());
            let #own_extent = __tw::meet(
                #own_extent,
                __tw::Quotient::of(#axis, #rest).__quotient(),
            );
        });
    }
}
