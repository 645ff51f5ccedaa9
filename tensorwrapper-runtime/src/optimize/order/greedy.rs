//! The greedy order: at each step the pair whose product is smallest against what it replaces.
//!
//! Source: D. G. A. Smith, J. Gray, "opt_einsum", J. Open Source Softw. 3, 753 (2018).
//!
//! What a pair costs does not change while both factors are there: other products keep every label that one of the two
//! has, so whether anybody else has a label stays as it was. Hence each pair is assessed once and waits in a heap.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::{Network, Path};
use crate::graph::Label;

/// Among pairs that share a label: size of the product less the sizes of its factors; among equals the fewest
/// operations, then the earliest pair, so that the answer depends on nothing else. Where no pair shares a label, the
/// two smallest factors.
pub(super) fn greedy(network: &Network) -> Path {
    let mut factors = Factors::new(network);
    let mut candidates = BinaryHeap::new();
    for b in 0..network.inputs.len() {
        candidates.extend(factors.candidates(b).map(Reverse));
    }
    let mut path = Path::new();
    for _ in 1..network.inputs.len() {
        let mut shared = std::iter::from_fn(|| candidates.pop()).map(|Reverse(candidate)| candidate.pair);
        let pair = shared.find(|&(a, b)| factors.is_live(a) && factors.is_live(b));
        let pair = pair.unwrap_or_else(|| factors.smallest_pair());
        let product = factors.multiply(pair);
        candidates.extend(factors.candidates(product).map(Reverse));
        path.push(pair);
    }
    path
}

/// A pair that may be next, the earlier factor first. The smallest candidate is the best.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    growth: f64,
    operations: f64,
    pair: (usize, usize),
}

impl Ord for Candidate {
    fn cmp(&self, other: &Candidate) -> Ordering {
        let growth = self.growth.total_cmp(&other.growth);
        growth.then(self.operations.total_cmp(&other.operations)).then(self.pair.cmp(&other.pair))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Candidate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Candidate) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

/// The factors by the numbers that paths give them, products included.
struct Factors<'n> {
    network: &'n Network,
    /// Sorted labels; `None` once multiplied.
    labels: Vec<Option<Vec<Label>>>,
    /// The live factors that have a label, ascending.
    holders: Vec<Vec<usize>>,
    /// Whether the result has a label.
    wanted: Vec<bool>,
}

impl<'n> Factors<'n> {
    fn new(network: &'n Network) -> Factors<'n> {
        let mut wanted = vec![false; network.extents.len()];
        network.output.iter().for_each(|&label| wanted[label] = true);
        let mut factors = Factors { network, labels: Vec::new(), holders: vec![Vec::new(); network.extents.len()], wanted };
        for labels in &network.inputs {
            let mut labels = labels.clone();
            labels.sort_unstable();
            factors.push(labels);
        }
        factors
    }

    fn push(&mut self, labels: Vec<Label>) {
        labels.iter().for_each(|&label| self.holders[label].push(self.labels.len()));
        self.labels.push(Some(labels));
    }

    fn is_live(&self, factor: usize) -> bool {
        self.labels[factor].is_some()
    }

    fn live(&self, factor: usize) -> &[Label] {
        self.labels[factor].as_deref().expect("the factor is live")
    }

    /// The pairs of a factor and the earlier ones that share a label with it.
    fn candidates(&self, b: usize) -> impl Iterator<Item = Candidate> + '_ {
        let mut earlier: Vec<usize> = self.live(b).iter().flat_map(|&l| &self.holders[l]).copied().filter(|&a| a < b).collect();
        earlier.sort_unstable();
        earlier.dedup();
        earlier.into_iter().map(move |a| self.assess((a, b)))
    }

    fn assess(&self, pair: (usize, usize)) -> Candidate {
        let size = |labels: &mut dyn Iterator<Item = Label>| {
            let size: f64 = labels.map(|l| self.network.extents[l] as f64).product();
            // Infinite sizes would leave nothing to compare.
            size.min(f64::MAX)
        };
        let own = |factor: usize| size(&mut self.live(factor).iter().copied());
        let kept = size(&mut self.union(pair).filter(|&(l, held)| self.is_kept(l, held)).map(|(l, _)| l));
        let operations = size(&mut self.union(pair).map(|(l, _)| l));
        Candidate { growth: kept - own(pair.0) - own(pair.1), operations, pair }
    }

    /// Whether a label that so many of two factors have is needed once they are multiplied.
    fn is_kept(&self, label: Label, held: usize) -> bool {
        self.wanted[label] || self.holders[label].len() > held
    }

    /// The labels of two factors, ascending, each with the number of those that have it.
    fn union(&self, (a, b): (usize, usize)) -> impl Iterator<Item = (Label, usize)> + '_ {
        let (mut a, mut b) = (self.live(a).iter().copied().peekable(), self.live(b).iter().copied().peekable());
        std::iter::from_fn(move || {
            let label = match (a.peek(), b.peek()) {
                (Some(&x), Some(&y)) => x.min(y),
                (Some(&x), None) | (None, Some(&x)) => x,
                (None, None) => return None,
            };
            let held = usize::from(a.next_if_eq(&label).is_some()) + usize::from(b.next_if_eq(&label).is_some());
            Some((label, held))
        })
    }

    /// The two smallest live factors, the earlier first.
    fn smallest_pair(&self) -> (usize, usize) {
        let live = self.labels.iter().enumerate().filter_map(|(n, labels)| Some((n, self.network.size(labels.as_ref()?))));
        let mut live: Vec<(usize, f64)> = live.collect();
        live.sort_by(|x, y| x.1.total_cmp(&y.1).then(x.0.cmp(&y.0)));
        let (a, b) = (live[0].0, live[1].0);
        (a.min(b), a.max(b))
    }

    /// Replaces two factors by their product; returns its number.
    fn multiply(&mut self, pair: (usize, usize)) -> usize {
        let kept = self.union(pair).filter(|&(l, held)| self.is_kept(l, held)).map(|(l, _)| l).collect();
        for factor in [pair.0, pair.1] {
            for label in self.labels[factor].take().into_iter().flatten() {
                self.holders[label].retain(|&holder| holder != factor);
            }
        }
        self.push(kept);
        self.labels.len() - 1
    }
}
