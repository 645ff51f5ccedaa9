//! The greedy order: at each step the pair whose product is smallest compared with its factors.
//!
//! Source: D. G. A. Smith, J. Gray, "opt_einsum", J. Open Source Softw. 3, 753 (2018).
//!
//! The cost of a pair does not change while both factors remain, because products of other factors keep every label that one of the two
//! has. So a label that is on another tensor stays on another tensor. Hence each pair is assessed once and waits in a heap.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::network::{Network, Path};
use super::random::Random;
use tensorwrapper_core::graph::Label;

/// A label on more factors than this suggests no pairs, because there would be too many. Pairs that share another label come first, then
/// the two smallest factors.
const MOST_HOLDERS: usize = 64;

/// How far a randomized search deviates from the best pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noise {
    /// About how much the logarithms of two pairs' scores may differ for either to be chosen.
    pub(super) temperature: f64,
    /// The weight of the factors' sizes against that of the product.
    pub(super) weight: f64,
}

/// The greedy order. Among pairs that share a label, it takes the one for which the size of the product minus the sizes of its factors is
/// smallest. Among equal pairs it takes the one with the fewest operations, then the earliest, so that the result depends on nothing
/// else. If no pair shares a label, it takes the two smallest factors.
pub(super) fn greedy(network: &Network) -> Path {
    complete(network, |_| ())
}

/// The greedy order with randomized scores.
/// Source: J. Gray, S. Kourtis, "Hyper-optimized tensor network contraction", Quantum 5, 410 (2021).
pub(super) fn noisy(network: &Network, noise: Noise, random: &mut Random) -> Path {
    complete(network, |candidate| {
        let score = candidate.kept - noise.weight * (candidate.kept - candidate.growth);
        // A logarithm of either sign, steep enough near 0 that no two sides meet.
        let score = score.signum() * (1.0 + score.abs()).log2();
        candidate.growth = score + noise.temperature * (-random.unit().ln()).ln();
    })
}

/// Makes the products that are no larger than their larger factor, if one factor has all labels of both, or at most two labels. Returns
/// them as the beginning of a path.
pub(super) fn simplify(network: &Network) -> Path {
    let mut factors = Factors::new(network);
    let mut path = Path::new();
    let is_good = |factors: &Factors<'_>, candidate: &Candidate| {
        let (a, b) = candidate.pair;
        let larger = factors.sizes[a].max(factors.sizes[b]);
        let few = factors.live(a).len().min(factors.live(b).len()) <= 2;
        candidate.kept <= larger && (few || candidate.operations <= larger)
    };
    let mut candidates = BinaryHeap::new();
    for b in 0..network.inputs.len() {
        candidates.extend(factors.candidates(b).filter(|c| is_good(&factors, c)).map(Reverse));
    }
    while let Some(Reverse(Candidate { pair, .. })) = candidates.pop() {
        if factors.is_live(pair.0) && factors.is_live(pair.1) {
            let product = factors.multiply(pair);
            candidates.extend(factors.candidates(product).filter(|c| is_good(&factors, c)).map(Reverse));
            path.push(pair);
        }
    }
    path
}

/// Pairs until one factor is left; `change` may give a candidate another score.
fn complete(network: &Network, mut change: impl FnMut(&mut Candidate)) -> Path {
    let mut factors = Factors::new(network);
    let mut candidates = BinaryHeap::new();
    let mut changed = |mut candidate: Candidate| {
        change(&mut candidate);
        Reverse(candidate)
    };
    for b in 0..network.inputs.len() {
        candidates.extend(factors.candidates(b).map(&mut changed));
    }
    let mut path = Path::new();
    for _ in 1..network.inputs.len() {
        let mut shared = std::iter::from_fn(|| candidates.pop()).map(|Reverse(candidate)| candidate.pair);
        let pair = shared.find(|&(a, b)| factors.is_live(a) && factors.is_live(b));
        let pair = pair.unwrap_or_else(|| factors.smallest_pair());
        let product = factors.multiply(pair);
        candidates.extend(factors.candidates(product).map(&mut changed));
        path.push(pair);
    }
    path
}

/// A pair that may be next, the earlier factor first. The smallest candidate is the best.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    growth: f64,
    operations: f64,
    kept: f64,
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

/// A factor by its size, then by its number.
#[derive(Clone, Copy, Debug)]
struct BySize {
    size: f64,
    factor: usize,
}

impl Ord for BySize {
    fn cmp(&self, other: &BySize) -> Ordering {
        self.size.total_cmp(&other.size).then(self.factor.cmp(&other.factor))
    }
}

impl PartialOrd for BySize {
    fn partial_cmp(&self, other: &BySize) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for BySize {
    fn eq(&self, other: &BySize) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for BySize {}

/// The factors by the numbers that paths give them, products included.
struct Factors<'n> {
    network: &'n Network,
    /// Sorted labels; `None` once multiplied.
    labels: Vec<Option<Vec<Label>>>,
    sizes: Vec<f64>,
    /// All factors by size, including those that have been multiplied.
    by_size: BinaryHeap<Reverse<BySize>>,
    /// The live factors that have a label, ascending.
    holders: Vec<Vec<usize>>,
    /// Whether the result has a label.
    wanted: Vec<bool>,
}

impl<'n> Factors<'n> {
    fn new(network: &'n Network) -> Factors<'n> {
        let mut wanted = vec![false; network.extents.len()];
        network.output.iter().for_each(|&label| wanted[label] = true);
        let holders = vec![Vec::new(); network.extents.len()];
        let mut factors = Factors { network, labels: vec![], sizes: vec![], by_size: BinaryHeap::new(), holders, wanted };
        for labels in &network.inputs {
            let mut labels = labels.clone();
            labels.sort_unstable();
            factors.push(labels);
        }
        factors
    }

    fn push(&mut self, labels: Vec<Label>) {
        labels.iter().for_each(|&label| self.holders[label].push(self.labels.len()));
        // Infinite sizes would leave nothing to compare.
        let size = self.network.size(&labels).min(f64::MAX);
        self.by_size.push(Reverse(BySize { size, factor: self.labels.len() }));
        self.sizes.push(size);
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
        let holders = self.live(b).iter().map(|&l| &self.holders[l]).filter(|holders| holders.len() <= MOST_HOLDERS);
        let mut earlier: Vec<usize> = holders.flatten().copied().filter(|&a| a < b).collect();
        earlier.sort_unstable();
        earlier.dedup();
        earlier.into_iter().map(move |a| self.assess((a, b)))
    }

    fn assess(&self, pair: (usize, usize)) -> Candidate {
        let (mut kept, mut operations) = (1.0, 1.0);
        for (label, held) in self.union(pair) {
            let extent = self.network.extents[label] as f64;
            operations *= extent;
            if self.is_kept(label, held) {
                kept *= extent;
            }
        }
        let (kept, operations) = (kept.min(f64::MAX), operations.min(f64::MAX));
        Candidate { growth: kept - self.sizes[pair.0] - self.sizes[pair.1], operations, kept, pair }
    }

    /// Whether a label is still needed once two factors are multiplied; `held` is the number of these factors that have it.
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
    fn smallest_pair(&mut self) -> (usize, usize) {
        let labels = &self.labels;
        let mut live = std::iter::from_fn(|| self.by_size.pop()).filter(|Reverse(next)| labels[next.factor].is_some());
        let mut next = || live.next().expect("two factors are live").0.factor;
        let (a, b) = (next(), next());
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
