//! Claims of symmetry: their labels are those of the left side, each once.

use super::checker::Checker;
use crate::diagnostic::Diagnostic;
use crate::equation::{Claimed, LabelId, Left};
use crate::syntax::{Claim, Name};

impl Checker<'_> {
    /// Gives the labels of claims their identity.
    pub(super) fn claims(&mut self, claims: &[Claim], left: &[Left]) {
        for claim in claims {
            let labels = if let [left] = left { left.labels() } else { Vec::new() };
            let mut seen: Vec<&str> = Vec::new();
            let resolve =
                |name: &Name| -> Option<LabelId> { labels.iter().copied().find(|label| self.labels[label.0].name == name.text) };
            let mut groups = Vec::new();
            for group in &claim.groups {
                let mut resolved = Vec::new();
                for name in group {
                    let again = seen.contains(&name.text.as_str());
                    seen.push(&name.text);
                    match resolve(name) {
                        Some(label) if !again => resolved.push(label),
                        Some(_) => {
                            let message = format!("`{}` names `{}` twice", claim.kind.name(), name.text);
                            self.faults.push(Diagnostic::label(name.span, message));
                            return;
                        }
                        None => {
                            let (kind, name, span) = (claim.kind.name(), &name.text, name.span);
                            let message = format!("`{kind}` claims a symmetry of the left side, which has no index `{name}`");
                            self.faults.push(Diagnostic::label(span, message));
                            return;
                        }
                    }
                }
                groups.push(resolved);
            }
            self.claims.push(Claimed { kind: claim.kind, groups, assumed: claim.assumed, span: claim.span });
        }
    }
}
