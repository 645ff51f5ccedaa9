//! The tensors of an equation while it is planned: its operands, then what is made on the way. A tensor is known by its number.

use tensorwrapper_core::structure::Structure;
use tensorwrapper_core::symmetry::Symmetry;

/// What is known of each tensor.
#[derive(Clone, Debug, Default)]
pub(super) struct Tensors {
    pub(super) structures: Vec<Structure>,
    /// What messages call it.
    pub(super) names: Vec<String>,
    /// Whether it is a dense tensor, which has no cuts of its own.
    pub(super) dense: Vec<bool>,
}

impl Tensors {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.structures.len()
    }

    /// Adds a block tensor, and returns its number.
    pub(super) fn add(&mut self, structure: Structure, name: &str) -> usize {
        self.structures.push(structure);
        self.names.push(name.to_string());
        self.dense.push(false);
        self.len() - 1
    }

    /// Forgets all but the first so many.
    pub(super) fn truncate(&mut self, tensors: usize) {
        self.structures.truncate(tensors);
        self.names.truncate(tensors);
        self.dense.truncate(tensors);
    }

    /// The symmetry of each.
    pub(super) fn symmetries(&self) -> Vec<&Symmetry> {
        self.structures.iter().map(Structure::symmetry).collect()
    }
}
