//! In which order the factors of a product are multiplied. A strategy is one file and one line in [`path`].

mod greedy;

use crate::graph::Label;

/// How the order of products of three and more factors is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Order {
    /// The pair next that shrinks the tensors most.
    #[default]
    Greedy,
    /// From left to right.
    AsWritten,
}

/// A product: the labels of its factors and of its result.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    /// Labels of each factor, each once.
    pub(crate) inputs: Vec<Vec<Label>>,
    /// Labels of the result.
    pub(crate) output: Vec<Label>,
    /// The extent of each label.
    pub(crate) extents: Vec<usize>,
}

/// Pairs of factors in the order of multiplication. Factors are numbered from 0; each product gets the next number.
pub(crate) type Path = Vec<(usize, usize)>;

/// An order for a product of two or more factors.
pub(crate) fn path(network: &Network, order: Order) -> Path {
    match order {
        Order::Greedy => greedy::greedy(network),
        Order::AsWritten => as_written(network.inputs.len()),
    }
}

fn as_written(factors: usize) -> Path {
    let product = |n: usize| if n == 0 { 0 } else { factors + n - 1 };
    (0..factors.saturating_sub(1)).map(|n| (product(n), n + 1)).collect()
}

impl Network {
    /// The labels that the product of two factors keeps: those of the result and of the other factors.
    pub(crate) fn kept<'l>(&self, pair: [&[Label]; 2], others: impl Iterator<Item = &'l Vec<Label>>) -> Vec<Label> {
        let mut needed = self.output.clone();
        needed.extend(others.flatten());
        let [a, b] = pair;
        let mut kept: Vec<Label> = Vec::new();
        // Batch labels first, then those of one factor, then those of the other: as a matrix product leaves them.
        let shared = a.iter().filter(|l| b.contains(l));
        for label in shared.chain(a).chain(b) {
            if needed.contains(label) && !kept.contains(label) {
                kept.push(*label);
            }
        }
        kept
    }

    /// Number of elements of a tensor of these labels.
    pub(crate) fn size(&self, labels: &[Label]) -> f64 {
        labels.iter().map(|&l| self.extents[l] as f64).product()
    }
}
