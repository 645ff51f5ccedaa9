//! The edges that a program reads, each once. It must not know of programs.

use std::collections::HashMap;
use std::ops::Deref;

use super::edge::Edge;

/// Edges that are compared one by one; more are found by their hashes.
const FEW: usize = 16;

/// Edges in the order in which they were met, each once.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    edges: Vec<Edge>,
    /// The number of each edge, once there are more than a few.
    places: HashMap<Edge, usize>,
}

impl Inputs {
    /// The number of an edge. An edge that is new is added.
    pub fn place(&mut self, edge: Edge) -> usize {
        let next = self.edges.len();
        if next < FEW {
            let known = self.edges.iter().position(|known| *known == edge);
            return known.unwrap_or_else(|| {
                self.edges.push(edge);
                next
            });
        }
        if self.places.is_empty() {
            self.places = self.edges.iter().cloned().zip(0..).collect();
        }
        let place = *self.places.entry(edge.clone()).or_insert(next);
        if place == next {
            self.edges.push(edge);
        }
        place
    }

    /// The edges, in the order of their numbers.
    pub fn into_edges(self) -> Vec<Edge> {
        self.edges
    }
}

impl From<Edge> for Inputs {
    fn from(edge: Edge) -> Inputs {
        Inputs { edges: vec![edge], places: HashMap::new() }
    }
}

impl Deref for Inputs {
    type Target = [Edge];
    fn deref(&self) -> &[Edge] {
        &self.edges
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::TensorId;

    #[test]
    fn few_and_many_edges_are_each_there_once() {
        let mut inputs = Inputs::default();
        for n in (0..100).chain(0..100) {
            assert_eq!(inputs.place(Edge::whole(TensorId(n), &[n, 0])), n);
        }
        assert_eq!(inputs.len(), 100);
        assert!(inputs.into_edges().iter().enumerate().all(|(n, edge)| edge.tensor == TensorId(n)));
    }
}
