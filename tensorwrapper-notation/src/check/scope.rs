//! Which labels are known at some point of an equation. It must not know what they label.

use std::collections::HashMap;

use crate::equation::LabelId;

/// Labels that are known at some point of the equation: those of the left side, then those of each enclosing sum.
#[derive(Clone, Default)]
pub(super) struct Scope {
    names: HashMap<String, LabelId>,
}

impl Scope {
    pub(super) fn get(&self, name: &str) -> Option<LabelId> {
        self.names.get(name).copied()
    }

    /// Adds a label, which hides another one of that name.
    pub(super) fn push(&mut self, name: &str, id: LabelId) {
        self.names.insert(name.to_string(), id);
    }
}
