//! What a structure says of ragged axes and of layers, as a value.

use std::fmt;

/// Which axes are ragged, and how many axes each layer has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Rows {
    /// Ragged axes in ascending order, each with the axes on whose index its extent depends.
    pub(super) ragged: Vec<(usize, Vec<usize>)>,
    /// Nothing where there is one layer.
    pub(super) layers: Vec<usize>,
}

impl Rows {
    pub(super) fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (axis, by) in &self.ragged {
            write!(f, ", axis {axis} ragged by {by:?}")?;
        }
        if self.layers.is_empty() { Ok(()) } else { write!(f, " in layers of {:?} axes", self.layers) }
    }
}
