//! The best order, by dynamic programming.
//!
//! Up to [`DENSE`] factors, all subsets are tried, outer products included. Beyond that, connected subsets are built in the order of
//! their number of tensors under a cap on the price. The cap is raised until the whole network is found. Parts that share no label are
//! multiplied at the end, the smallest first.
//! Source: R. N. C. Pfeifer, J. Haegeman, F. Verstraete, "Faster identification of optimal contraction sequences for tensor
//! networks", Phys. Rev. E 90, 033315 (2014).

use std::collections::HashMap;

use super::bits::log2;
use super::cost::{Minimize, Step};
use super::network::{Network, Path};
use super::subsets::{Set, Shared, Subsets};

/// The most factors of which all subsets are tried.
pub(super) const DENSE: usize = 16;

/// The most factors of any exact search.
const MOST: usize = 64;

/// Pairs of subsets that the search of connected subsets tries before it gives up.
const MOST_PAIRS: u64 = 1 << 27;

/// The labels of a network, each as the set of factors that have it.
fn shared(network: &Network) -> impl Iterator<Item = (u64, f64, bool)> + '_ {
    let mut holders = vec![0u64; network.extents.len()];
    for (factor, labels) in network.inputs.iter().enumerate() {
        labels.iter().for_each(|&label| holders[label] |= 1 << factor);
    }
    let used = holders.into_iter().enumerate().filter(|(_, holders)| *holders != 0);
    used.map(|(label, holders)| (holders, log2(network.extents[label]), !network.output.contains(&label)))
}

/// The best order of at most [`DENSE`] factors. `None` if its price is not below the price whose logarithm is `cap` or, without a cap, if
/// prices exceed the range of floating-point numbers.
pub(super) fn dense(network: &Network, minimize: Minimize, cap: Option<f64>) -> Option<Path> {
    let factors = network.inputs.len();
    if factors < 2 {
        return Some(Path::new());
    }
    let labels = shared(network).map(|(holders, log, is_inner)| Shared { holders: holders as Set, log, is_inner });
    let scale = cap.map_or((0.0, f64::INFINITY), |cap| (cap, 1.0 - 1e-9));
    let mut subsets = Subsets::default();
    subsets.solve(factors, labels, minimize.into(), scale)?;
    let mut path = Path::with_capacity(factors - 1);
    number(subsets.all(), factors, &mut path, &|set| subsets.halves(set));
    Some(path)
}

/// Writes the products of a subset into a path; returns the subset's number.
fn number<S: Copy + Into<u64>>(set: S, factors: usize, path: &mut Path, halves: &impl Fn(S) -> (S, S)) -> usize {
    let bits: u64 = set.into();
    if bits.is_power_of_two() {
        return bits.trailing_zeros() as usize;
    }
    let (a, b) = halves(set);
    let (a, b) = (number(a, factors, path, halves), number(b, factors, path, halves));
    path.push((a.min(b), a.max(b)));
    factors + path.len() - 1
}

/// The best order without outer products inside of connected parts; `known` is the logarithm of the price of some order. `None` if the
/// network is too large.
pub(super) fn connected(network: &Network, minimize: Minimize, known: f64) -> Option<Path> {
    if network.inputs.len() > MOST {
        return None;
    }
    let labels: Vec<_> = shared(network).collect();
    let neighbours = vec![0; network.inputs.len()];
    let mut search = Connected { labels: &labels, minimize, known, neighbours, found: HashMap::new() };
    for &(holders, ..) in &labels {
        bits(holders).for_each(|factor| search.neighbours[factor] |= holders & !(1 << factor));
    }
    let mut path = Path::new();
    let mut parts: Vec<(f64, usize)> = Vec::new();
    let mut rest = u64::MAX >> (MOST - network.inputs.len());
    let mut pairs = 0;
    while rest != 0 {
        let part = search.part(rest & rest.wrapping_neg());
        rest &= !part;
        search.solve(part, &mut pairs)?;
        let number =
            number(part, network.inputs.len(), &mut path, &|set| (search.found[&set].half, set ^ search.found[&set].half));
        parts.push((search.size(part), number));
    }
    while parts.len() > 1 {
        parts.sort_by(|x, y| y.0.total_cmp(&x.0).then(y.1.cmp(&x.1)));
        let ((size_a, a), (size_b, b)) = (parts.pop()?, parts.pop()?);
        path.push((a.min(b), a.max(b)));
        parts.push((size_a + size_b, network.inputs.len() + path.len() - 1));
    }
    Some(path)
}

fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(bit)
    })
}

/// The best known order of a subset.
#[derive(Clone, Copy, Debug)]
struct Best {
    /// Its price, in units of the known price.
    cost: f64,
    half: u64,
    touched: f64,
    closed: f64,
}

struct Connected<'l> {
    labels: &'l [(u64, f64, bool)],
    minimize: Minimize,
    /// The logarithm of the price that costs are compared with.
    known: f64,
    /// For each factor, those that share a label with it.
    neighbours: Vec<u64>,
    found: HashMap<u64, Best>,
}

impl Connected<'_> {
    /// The connected part that a factor belongs to.
    fn part(&self, first: u64) -> u64 {
        let mut part = first;
        loop {
            let more = self.around(part);
            if more == 0 {
                return part;
            }
            part |= more;
        }
    }

    fn around(&self, set: u64) -> u64 {
        bits(set).fold(0, |around, factor| around | self.neighbours[factor]) & !set
    }

    fn best(&self, set: u64) -> Best {
        let touched = self.labels.iter().filter(|(holders, ..)| holders & set != 0).map(|(_, log, _)| log).sum();
        let inner = self.labels.iter().filter(|(holders, _, is_inner)| *is_inner && holders & !set == 0);
        // A factor that has not been multiplied yet has summed nothing.
        let closed = if set.is_power_of_two() { 0.0 } else { inner.map(|(_, log, _)| log).sum() };
        Best { cost: f64::INFINITY, half: 0, touched, closed }
    }

    fn size(&self, set: u64) -> f64 {
        self.found.get(&set).map_or(0.0, |best| best.touched - best.closed)
    }

    /// Finds the best order of a part, raising the cap until there is one. `None` after too many pairs.
    fn solve(&mut self, part: u64, pairs: &mut u64) -> Option<()> {
        self.found.clear();
        for factor in bits(part) {
            let single = 1 << factor;
            self.found.insert(single, Best { cost: 0.0, ..self.best(single) });
        }
        let mut scale = self.minimize.price(Step { operations: 0.0, factors: [0.0; 2], result: 0.0 }) - self.known;
        while !part.is_power_of_two() && !self.found.contains_key(&part) {
            self.found.retain(|set, _| set.is_power_of_two());
            let lowest = self.build(part, scale, pairs)?;
            // The least step that was refused tells where the cap must be at least; then some more, so that there are few rounds.
            scale = (lowest + 4.0).max(scale + 4.0);
        }
        Some(())
    }

    /// All subsets whose price is at most the cap, `scale`. Returns the least price that was above it.
    fn build(&mut self, part: u64, scale: f64, pairs: &mut u64) -> Option<f64> {
        let tensors = part.count_ones() as usize;
        let mut of_size: Vec<Vec<(u64, u64)>> = vec![Vec::new(); tensors + 1];
        of_size[1] = bits(part).map(|factor| (1 << factor, self.neighbours[factor])).collect();
        let mut lowest = f64::INFINITY;
        for size in 2..=tensors {
            for half in 1..=size / 2 {
                for n in 0..of_size[half].len() {
                    let (a, around) = of_size[half][n];
                    *pairs += of_size[size - half].len() as u64;
                    for &(b, _) in &of_size[size - half] {
                        if a & b == 0 && around & b != 0 {
                            // Far dearer than a pair that is only looked at.
                            *pairs += 64 + self.labels.len() as u64;
                            lowest = lowest.min(self.offer(a, b, scale));
                        }
                    }
                    if *pairs > MOST_PAIRS {
                        return None;
                    }
                }
            }
            let mut made: Vec<u64> = self.found.keys().copied().filter(|set| set.count_ones() as usize == size).collect();
            made.sort_unstable();
            of_size[size] = made.into_iter().map(|set| (set, self.around(set))).collect();
        }
        Some(lowest)
    }

    /// Notes a pair if it is the best of its union and at most the cap. Returns its price if that is above the cap, otherwise infinity.
    fn offer(&mut self, a: u64, b: u64, scale: f64) -> f64 {
        let (x, y) = (self.found[&a], self.found[&b]);
        let known = self.found.get(&(a | b)).copied();
        let entry = known.unwrap_or_else(|| self.best(a | b));
        let operations = entry.touched - x.closed - y.closed;
        let factors = [x.touched - x.closed, y.touched - y.closed];
        let price = self.minimize.price(Step { operations, factors, result: entry.touched - entry.closed });
        let cost = x.cost + y.cost + (price - self.known).exp2();
        if cost.log2() > scale {
            return cost.log2();
        }
        if cost < entry.cost || known.is_none() {
            self.found.insert(a | b, Best { cost, half: a, ..entry });
        }
        f64::INFINITY
    }
}
