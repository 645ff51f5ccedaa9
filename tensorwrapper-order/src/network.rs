//! A product of tensors, as the labels of its factors, and the order in which pairs of them are multiplied. The file must not know how an
//! order is found.

use smallvec::SmallVec;
use tensorwrapper_core::graph::Label;

/// A product: the labels of its factors and of its result.
#[derive(Clone, Debug)]
pub struct Network {
    /// The labels of each factor, without repetition.
    pub inputs: Vec<Vec<Label>>,
    /// Labels of the result.
    pub output: Vec<Label>,
    /// The extent of each label.
    pub extents: Vec<usize>,
}

/// Pairs of factors in the order of multiplication. Factors are numbered from 0; each product gets the next number.
pub type Path = Vec<(usize, usize)>;

/// The labels of a tensor, without repetition; up to six need no allocation.
pub type Labels = SmallVec<[Label; 6]>;

impl Network {
    /// The labels that the product of two factors keeps: those that another factor or the result needs.
    pub fn kept([a, b]: [&[Label]; 2], is_needed: impl Fn(Label) -> bool) -> Labels {
        let mut kept = Labels::new();
        // Batch labels first, then those of one factor, then those of the other: as a matrix product leaves them.
        let shared = a.iter().filter(|l| b.contains(l));
        for label in shared.chain(a).chain(b) {
            if is_needed(*label) && !kept.contains(label) {
                kept.push(*label);
            }
        }
        kept
    }

    /// Whether a label is on three or more tensors, the result included.
    pub(super) fn has_hyper_edge(&self) -> bool {
        let mut holders = vec![0u32; self.extents.len()];
        self.inputs.iter().chain([&self.output]).flatten().for_each(|&label| holders[label] += 1);
        holders.into_iter().any(|count| count > 2)
    }

    /// Number of elements of a tensor of these labels.
    pub fn size(&self, labels: &[Label]) -> f64 {
        labels.iter().map(|&l| self.extents[l] as f64).product()
    }
}
