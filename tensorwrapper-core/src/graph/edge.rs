//! Edges: how an operation reads or writes a tensor. They know neither operations nor the graph.

use tensorwrapper_notation::sentence::counted;

use super::ids::{Label, TensorId};

/// One axis of a tensor on an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EdgeAxis {
    /// The axis runs with the label: index 0 of the label is index `start` of the axis. A label on two axes stands for their diagonal.
    Label {
        /// The label.
        label: Label,
        /// The index of the axis at which the label starts.
        start: usize,
    },
    /// The axis is fixed at this position.
    Chip(usize),
}

impl EdgeAxis {
    /// The label that the axis runs with.
    pub fn label(&self) -> Option<Label> {
        match *self {
            EdgeAxis::Label { label, .. } => Some(label),
            EdgeAxis::Chip(_) => None,
        }
    }

    /// The same axis with another label; a fixed axis stays as it is.
    pub fn relabelled(self, new: impl FnOnce(Label) -> Label) -> EdgeAxis {
        match self {
            EdgeAxis::Label { label, start } => EdgeAxis::Label { label: new(label), start },
            chip @ EdgeAxis::Chip(_) => chip,
        }
    }
}

/// A tensor as an operation reads or writes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// The tensor.
    pub tensor: TensorId,
    /// One entry for each of its axes.
    pub axes: Vec<EdgeAxis>,
    /// Whether elements are conjugated as they are read.
    pub conjugate: bool,
}

impl Edge {
    /// A whole tensor, whose axes have these labels.
    pub fn whole(tensor: TensorId, labels: &[Label]) -> Edge {
        Edge { tensor, axes: labels.iter().map(|&label| EdgeAxis::Label { label, start: 0 }).collect(), conjugate: false }
    }

    /// The labels on this edge, each once, in order.
    pub fn labels(&self) -> Vec<Label> {
        let mut found = Vec::new();
        for label in self.axes.iter().filter_map(EdgeAxis::label) {
            if !found.contains(&label) {
                found.push(label);
            }
        }
        found
    }

    /// The same edge with its axes in another order: axis `n` is what was axis `axes[n]`. This edge reads the transpose of the tensor or,
    /// if the tensor's own axes have been put in that order, the tensor itself.
    ///
    /// ```
    /// # use tensorwrapper_core as tensorwrapper;
    /// use tensorwrapper::graph::{Edge, TensorId};
    /// let edge = Edge::whole(TensorId(0), &[5, 6, 7]);
    /// assert_eq!(edge.permuted(&[2, 0, 1]).labels(), [7, 5, 6]);
    /// ```
    ///
    /// # Panics
    /// When `axes` does not name each axis once.
    pub fn permuted(&self, axes: &[usize]) -> Edge {
        assert!(is_permutation(axes, self.axes.len()), "{axes:?} is no order of {}", counted(self.axes.len(), "axis"));
        Edge { axes: axes.iter().map(|&axis| self.axes[axis]).collect(), ..*self }
    }

    /// The same edge with other labels.
    ///
    /// ```
    /// # use tensorwrapper_core as tensorwrapper;
    /// use tensorwrapper::graph::{Edge, TensorId};
    /// let edge = Edge::whole(TensorId(0), &[0, 1]);
    /// assert_eq!(edge.relabelled(|label| label + 3).labels(), [3, 4]);
    /// ```
    pub fn relabelled(&self, new: impl Fn(Label) -> Label) -> Edge {
        Edge { axes: self.axes.iter().map(|axis| axis.relabelled(&new)).collect(), ..*self }
    }

    /// Whether the edge reads all elements of a tensor of these extents as they are: one label for each axis, no label twice, and no
    /// conjugation.
    pub fn is_whole(&self, tensor: &[usize], labels: &[usize]) -> bool {
        let covers = |(axis, &extent): (&EdgeAxis, &usize)| match *axis {
            EdgeAxis::Label { label, start } => start == 0 && labels.get(label) == Some(&extent),
            EdgeAxis::Chip(_) => false,
        };
        !self.conjugate
            && self.axes.len() == tensor.len()
            && self.axes.iter().zip(tensor).all(covers)
            && self.labels().len() == tensor.len()
    }
}

/// Whether a list names each axis of a tensor of this rank once.
pub(super) fn is_permutation(axes: &[usize], rank: usize) -> bool {
    axes.len() == rank && (0..rank).all(|axis| axes.contains(&axis))
}
