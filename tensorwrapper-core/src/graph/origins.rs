//! Names of labels and where labels come from, as data. It knows no graph.

use std::sync::Arc;

use smallvec::SmallVec;

/// The names of an equation's labels in their order. One allocation, because equations are recorded often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelNames(
    /// Each name ended by [`END`].
    Arc<str>,
);

/// What ends a name: no name has it.
const END: char = '\n';

impl LabelNames {
    /// These names.
    pub fn new<'n>(names: impl Iterator<Item = &'n str>) -> LabelNames {
        let mut text = String::with_capacity(64);
        for name in names {
            text.push_str(name);
            text.push(END);
        }
        LabelNames(text.into())
    }

    /// The name of a label.
    pub fn get(&self, label: usize) -> Option<&str> {
        self.0.split_terminator(END).nth(label)
    }
}

/// A label of one of the equations of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    pub(super) equation: u32,
    pub(super) label: u32,
}

impl Origin {
    /// A label of the first equation of a graph.
    pub fn of_first(label: usize) -> Origin {
        Origin { equation: 0, label: label as u32 }
    }
}

/// Where the labels of operations come from. The labels of an operation without an entry have no names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Origins {
    /// Shared by a graph and those that passes make of it.
    pub(super) equations: Arc<Vec<LabelNames>>,
    pub(super) operations: Vec<SmallVec<[Origin; 6]>>,
}
