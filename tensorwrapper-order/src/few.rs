//! The order of fewest operations for at most five factors, which is as many as most equations have. The tables are on the stack.
//!
//! Prices are products of extents, which are exact, unlike logarithms. The file must not know what the factors are.

use super::network::{Network, Path};
use tensorwrapper_core::graph::Label;

/// Subsets of the factors.
const SETS: usize = 1 << Few::MOST;
/// Larger than all numbers that prices are sums and products of.
const MOST_POINTS: f64 = 1e250;

/// A product of two to [`MOST`](Few::MOST) factors, with their labels as bits.
#[derive(Clone, Debug)]
pub struct Few<'n> {
    factors: [u64; Few::MOST],
    count: usize,
    output: u64,
    extents: &'n [usize],
}

/// An order, and how many operations it takes.
pub(super) struct Best {
    pub(super) path: Path,
    pub(super) operations: f64,
}

impl Few<'_> {
    /// The most factors.
    pub const MOST: usize = 5;
}

impl<'n> Few<'n> {
    /// The product of factors with these labels, which are positions in `extents`. `None` if there are fewer than two factors or too
    /// many, too many labels, or extents that are 0 or too large.
    pub fn new<'l>(
        factors: impl ExactSizeIterator<Item = &'l [Label]>,
        output: impl Iterator<Item = Label>,
        extents: &'n [usize],
    ) -> Option<Few<'n>> {
        let count = factors.len();
        let points = extents.iter().map(|&extent| extent as f64).product::<f64>();
        if !(2..=Few::MOST).contains(&count) || extents.len() > u64::BITS as usize || points == 0.0 || points > MOST_POINTS {
            return None;
        }
        let mut few = Few { factors: [0; Few::MOST], count, output: output.fold(0, |set, label| set | 1 << label), extents };
        for (own, labels) in few.factors.iter_mut().zip(factors) {
            *own = labels.iter().fold(0, |set, &label| set | 1 << label);
        }
        Some(few)
    }

    /// A network as such a product, if it is small enough.
    pub(super) fn of(network: &'n Network) -> Option<Few<'n>> {
        Few::new(network.inputs.iter().map(Vec::as_slice), network.output.iter().copied(), &network.extents)
    }

    /// Whether a label is on three or more tensors, the result included.
    pub(super) fn has_hyper_edge(&self) -> bool {
        let (mut once, mut twice, mut more) = (self.output, 0, 0);
        for &own in &self.factors[..self.count] {
            more |= twice & own;
            twice |= once & own;
            once |= own;
        }
        more != 0
    }

    /// The best of all orders, outer products included. If both factors of a product are products, the one is computed first with which
    /// less memory is held at once.
    pub(super) fn best(&self) -> Best {
        if self.count == 2 {
            return Best { path: vec![(0, 1)], operations: self.points(self.factors[0] | self.factors[1]) };
        }
        let tables = Tables::new(self);
        let all = (1 << self.count) - 1;
        let mut path = Path::with_capacity(self.count - 1);
        tables.emit(self.count, all, &mut path);
        Best { path, operations: tables.cost[all] }
    }

    /// The product of the extents of a set of labels.
    fn points(&self, mut labels: u64) -> f64 {
        let mut points = 1.0;
        while labels != 0 {
            points *= self.extents[labels.trailing_zeros() as usize] as f64;
            labels &= labels - 1;
        }
        points
    }
}

/// What is known of each subset of the factors.
struct Tables {
    /// The product of the extents of all labels that occur.
    touched: [f64; SETS],
    /// The product of the extents of the labels that are summed when the subset is multiplied; 1 for a single factor.
    closed: [f64; SETS],
    /// The number of operations of its best order.
    cost: [f64; SETS],
    /// For the last pair of that order, the half that has the first factor.
    half: [u8; SETS],
}

impl Tables {
    fn new(few: &Few<'_>) -> Tables {
        let sets = 1usize << few.count;
        let mut occurring = [0u64; SETS];
        let mut tables = Tables { touched: [1.0; SETS], closed: [1.0; SETS], cost: [0.0; SETS], half: [0; SETS] };
        for set in 1..sets {
            let (rest, own) = (set & (set - 1), few.factors[set.trailing_zeros() as usize]);
            occurring[set] = occurring[rest] | own;
            tables.touched[set] = tables.touched[rest] * few.points(own & !occurring[rest]);
        }
        for set in (3..sets).filter(|set| !set.is_power_of_two()) {
            tables.closed[set] = few.points(occurring[set] & !(few.output | occurring[sets - 1 - set]));
            tables.solve(set);
        }
        tables
    }

    /// Finds the best pair of a subset; all smaller ones are known.
    fn solve(&mut self, set: usize) {
        let first = set & set.wrapping_neg();
        let rest = set ^ first;
        let (mut best, mut half) = (f64::INFINITY, 0);
        // All subsets of the rest but the rest itself go with the first factor.
        let mut with = rest & (rest - 1);
        loop {
            let (a, b) = (first | with, rest ^ with);
            let before = self.cost[a] + self.cost[b];
            if before < best {
                let whole = before + self.touched[set] / (self.closed[a] * self.closed[b]);
                if whole < best {
                    (best, half) = (whole, a);
                }
            }
            if with == 0 {
                break;
            }
            with = (with - 1) & rest;
        }
        (self.cost[set], self.half[set]) = (best, half as u8);
    }

    fn halves(&self, set: usize) -> [usize; 2] {
        let half = usize::from(self.half[set]);
        [half, set ^ half]
    }

    /// The elements of a product that has to be held; 0 for a factor, which is in memory anyway.
    fn held(&self, set: usize) -> f64 {
        if set.is_power_of_two() { 0.0 } else { self.touched[set] / self.closed[set] }
    }

    /// The most elements that are held while both halves of a product are computed: with the first half first, and with the second half
    /// first.
    fn most_by_first(&self, [a, b]: [usize; 2]) -> [f64; 2] {
        let [most_a, most_b] = [a, b].map(|half| self.most(half));
        [most_a.max(self.held(a) + most_b), most_b.max(self.held(b) + most_a)]
    }

    /// The most elements that are held until a subset is multiplied.
    fn most(&self, set: usize) -> f64 {
        if set.is_power_of_two() {
            return 0.0;
        }
        let halves = self.halves(set);
        let [first, second] = self.most_by_first(halves);
        first.min(second).max(self.held(halves[0]) + self.held(halves[1]) + self.held(set))
    }

    /// Writes the products of a subset into a path; returns the subset's number.
    fn emit(&self, count: usize, set: usize, path: &mut Path) -> usize {
        if set.is_power_of_two() {
            return set.trailing_zeros() as usize;
        }
        let [a, b] = self.halves(set);
        let [first, second] = self.most_by_first([a, b]);
        let [a, b] = if second < first { [b, a] } else { [a, b] };
        let (a, b) = (self.emit(count, a, path), self.emit(count, b, path));
        path.push((a.min(b), a.max(b)));
        count + path.len() - 1
    }
}
