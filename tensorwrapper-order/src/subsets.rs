//! The best order of a few tensors, by dynamic programming over all their subsets. The file must not know where the tensors come from.
//!
//! The cost of multiplying two disjoint sets of tensors needs no sets of labels. The labels of both factors are those that occur in the
//! union, except those that one of the two has already summed. Both are sums over subsets, which are computed once. Source of the sums:
//! F. Yates, "The design and analysis of factorial experiments" (1937).

use super::cost::{Objective, Step};

/// Sets of tensors, as bits.
pub(super) type Set = u32;

/// A label of a few tensors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shared {
    /// The tensors that have it.
    pub(super) holders: Set,
    /// The logarithm of its extent.
    pub(super) log: f64,
    /// Whether nothing else needs it, so that it is summed once all of its tensors are multiplied.
    pub(super) is_inner: bool,
}

/// Tables over subsets. They are kept, so that many searches share their memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Subsets {
    /// Logarithm of the extents of all labels that occur in a subset.
    touched: Vec<f64>,
    /// Logarithm of the extents of all labels that are summed in the product of a subset.
    closed: Vec<f64>,
    /// The least price of a subset, in units of the scale.
    cost: Vec<f64>,
    /// For the best pair of a subset, the half that has the first tensor.
    half: Vec<Set>,
}

impl Subsets {
    /// Finds the cheapest order of `tensors` tensors, if it is cheaper than `cap`, and returns its price. Prices and the cap are in units
    /// of the price whose logarithm is `scale`.
    pub(super) fn solve(
        &mut self,
        tensors: usize,
        labels: impl Iterator<Item = Shared>,
        objective: Objective,
        (scale, cap): (f64, f64),
    ) -> Option<f64> {
        self.prepare(tensors, labels, cap);
        let step = |operations: f64, a: f64, b: f64, result: f64| Step { operations, factors: [a, b], result };
        // A copy of the loops for each: the price of operations alone is far simpler than the others.
        if objective.is_plain() {
            self.fill(|u, _, _, _| (u - scale).exp2());
        } else {
            self.fill(|u, a, b, c| (objective.price(step(u, a, b, c)) - scale).exp2());
        }
        let all = self.cost.len() - 1;
        (self.cost[all] < cap).then_some(self.cost[all])
    }

    fn prepare(&mut self, tensors: usize, labels: impl Iterator<Item = Shared>, cap: f64) {
        let sets = 1usize << tensors;
        for table in [&mut self.touched, &mut self.closed] {
            table.clear();
            table.resize(sets, 0.0);
        }
        self.cost.clear();
        self.cost.resize(sets, cap);
        self.half.clear();
        self.half.resize(sets, 0);
        let mut all = 0.0;
        for label in labels {
            // `touched` counts for the moment the labels that occur in a subset alone.
            self.touched[label.holders as usize] += label.log;
            all += label.log;
            if label.is_inner {
                self.closed[label.holders as usize] += label.log;
            }
        }
        for tensor in 0..tensors {
            let bit = 1 << tensor;
            for set in (0..sets).filter(|set| set & bit != 0) {
                self.touched[set] += self.touched[set ^ bit];
                self.closed[set] += self.closed[set ^ bit];
            }
        }
        // What does not occur outside alone occurs inside.
        for set in 0..sets / 2 {
            let outside = sets - 1 - set;
            let (inside, around) = (all - self.touched[outside], all - self.touched[set]);
            (self.touched[set], self.touched[outside]) = (inside, around);
        }
        for tensor in 0..tensors {
            // A factor that has not been multiplied yet has summed nothing.
            self.closed[1 << tensor] = 0.0;
            self.cost[1 << tensor] = 0.0;
        }
    }

    fn fill(&mut self, price: impl Fn(f64, f64, f64, f64) -> f64) {
        let size = |touched: &[f64], closed: &[f64], set: usize| touched[set] - closed[set];
        let (touched, closed, cost) = (&self.touched, &self.closed, &mut self.cost);
        for set in (3..cost.len()).filter(|set| !set.is_power_of_two()) {
            let first = set & set.wrapping_neg();
            let rest = set ^ first;
            let (mut best, mut half) = (cost[set], 0);
            let result = size(touched, closed, set);
            // All subsets of the rest but the rest itself go with the first tensor.
            let mut with = rest & (rest - 1);
            loop {
                let (a, b) = (first | with, rest ^ with);
                let before = cost[a] + cost[b];
                if before < best {
                    let union = touched[set] - closed[a] - closed[b];
                    let whole = before + price(union, size(touched, closed, a), size(touched, closed, b), result);
                    if whole < best {
                        (best, half) = (whole, a);
                    }
                }
                if with == 0 {
                    break;
                }
                with = (with - 1) & rest;
            }
            (cost[set], self.half[set]) = (best, half as Set);
        }
    }

    /// The best pair of a subset that has at least two tensors, and for which an order was found.
    pub(super) fn halves(&self, set: Set) -> (Set, Set) {
        let half = self.half[set as usize];
        (half, set ^ half)
    }

    /// The subset of all tensors.
    pub(super) fn all(&self) -> Set {
        (self.cost.len() - 1) as Set
    }
}
