//! Emits the checks of claims of symmetry: indices that change places have equal extents.

use tensorwrapper_notation::{Claimed, Equation, LabelId, sentence};

use super::emitter::{Checks, extent};

/// Emits the checks of all claims, after all occurrences of labels.
pub(super) fn claims(checks: &mut Checks<'_, '_>, equation: &Equation) {
    for claim in equation.claims() {
        for pair in claim.groups.windows(2) {
            pair[0].iter().zip(&pair[1]).for_each(|(one, other)| checks.exchanged(claim, *one, *other));
        }
    }
}

impl Checks<'_, '_> {
    /// Emits the check that two labels which change places have equal extents. The fault is the claim's, so the caret stands there.
    fn exchanged(&mut self, claim: &Claimed, one: LabelId, other: LabelId) {
        let Some(first) = self.occurrences.get(&one).filter(|_| self.occurrences.contains_key(&other)) else { return };
        let (first, span) = (first.first.clone(), self.environment.host.span(claim.span));
        let (a, b) = (extent(one), extent(other));
        let [one_name, other_name] = [one, other].map(|label| self.names[label.0].clone());
        let message = sentence::claim(claim.kind.name(), (&one_name, &"{L}"), (&other_name, &"{R}"));
        let caret = format!("`{other_name}` has extent {{R}}");
        self.extents((one, &first), span, &message, &caret, &emit!(__tw::AxisPair(#a, #b)));
    }
}
