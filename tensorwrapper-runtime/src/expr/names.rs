//! What the program calls the labels of an equation, for those who show it to people. Nothing is computed from it.

use std::sync::Arc;

/// The names of an equation's labels in their order, each ended by [`END`]. One allocation, as an equation is recorded quickly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LabelNames(Arc<str>);

/// What ends a name: no name has it.
const END: char = '\n';

impl LabelNames {
    /// These names.
    pub(crate) fn new<'n>(names: impl Iterator<Item = &'n str>) -> LabelNames {
        let mut text = String::with_capacity(64);
        for name in names {
            text.push_str(name);
            text.push(END);
        }
        LabelNames(text.into())
    }

    pub(crate) fn get(&self, label: usize) -> Option<&str> {
        self.0.split_terminator(END).nth(label)
    }
}
