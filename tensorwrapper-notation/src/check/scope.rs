//! The labels that are in scope at a node of an equation. It must not know what they are used for.

use std::collections::HashMap;

use crate::equation::LabelId;

/// The labels in scope at a node: those of the left side, and those of each enclosing sum.
#[derive(Clone, Default)]
pub(super) struct Scope {
    names: HashMap<String, LabelId>,
}

impl Scope {
    pub(super) fn get(&self, name: &str) -> Option<LabelId> {
        self.names.get(name).copied()
    }

    /// Adds a label. It hides any other label of the same name.
    pub(super) fn push(&mut self, name: &str, id: LabelId) {
        self.names.insert(name.to_string(), id);
    }
}
