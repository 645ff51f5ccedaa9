//! Joins terms that share a factor: `A·B + A·C` becomes `A·(B + C)` if that is cheaper. The join that saves most is made first.
//! The new sums are treated like any other sum, and are reused where the same sum occurs again.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

use num_complex::Complex;
use smallvec::SmallVec;

use super::costs::Costs;
use super::term::{Factor, Name, Term};
use super::work::{Entry, Sum, Work, size};

/// Terms of a sum that share a factor.
struct Join {
    sum: usize,
    /// Terms by their numbers, each with the factors that are shared.
    members: Vec<(usize, usize)>,
    saving: f64,
}

/// The best join of a sum, in the order in which they are made: what saves most first, of equal ones that of the first sum.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    saving: f64,
    sum: usize,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Candidate) -> Ordering {
        self.saving.total_cmp(&other.saving).then(other.sum.cmp(&self.sum))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Candidate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Candidate) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate {}

impl Work {
    /// Joins terms until nothing is saved.
    pub(super) fn join_all(&mut self) {
        let mut best: Vec<Option<Join>> = Vec::new();
        let mut queue: BinaryHeap<Candidate> = BinaryHeap::new();
        loop {
            for sum in self.take_changed() {
                best.resize_with(best.len().max(sum + 1), || None);
                best[sum] = self.best_join(sum);
                queue.extend(best[sum].iter().map(|join| Candidate { saving: join.saving, sum }));
            }
            let Some(Candidate { saving, sum }) = queue.pop() else { return };
            // What is not the best of its sum any more is an older one.
            if let Some(join) = best[sum].take_if(|join| join.saving.total_cmp(&saving).is_eq()) {
                if join.saving <= 0.0 {
                    return;
                }
                self.apply(join);
            }
        }
    }

    fn best_join(&self, number: usize) -> Option<Join> {
        let sum = &self.sums[number];
        if sum.entries.len() < 2 {
            return None;
        }
        let costs: Vec<Costs> = sum.entries.iter().map(|entry| self.costs(entry)).collect();
        // In the order in which they are met, so that chance decides nothing.
        let mut groups: Vec<Vec<(usize, usize)>> = Vec::new();
        let mut places: HashMap<u32, usize> = HashMap::new();
        for (n, entry) in sum.entries.iter().enumerate() {
            for set in 1..entry.kept.len().saturating_sub(1) {
                let place = *places.entry(entry.rests[set].0).or_insert_with(|| {
                    groups.push(Vec::new());
                    groups.len() - 1
                });
                if groups[place].last().is_none_or(|(last, _)| *last != n) {
                    groups[place].push((n, set));
                }
            }
        }
        let mut best: Option<Join> = None;
        for group in groups.into_iter().filter(|group| group.len() > 1) {
            for members in self.alike(sum, group) {
                if let Some(join) = self.assess(number, &costs, members)
                    && join.saving.is_finite()
                    && best.as_ref().is_none_or(|known| join.saving > known.saving * (1.0 + 1e-9))
                {
                    best = Some(join);
                }
            }
        }
        best
    }

    /// Members of a group whose other factors have the same labels.
    fn alike(&self, sum: &Sum, group: Vec<(usize, usize)>) -> Vec<Vec<(usize, usize)>> {
        let outside = (1u64 << sum.extents.len()) - 1;
        let mut parts: Vec<(u64, Vec<(usize, usize)>)> = Vec::new();
        for (n, shared) in group {
            let entry = &sum.entries[n];
            let labels = open(entry, outside, entry.kept.len() - 1 - shared) & outside;
            match parts.iter_mut().find(|(known, _)| *known == labels) {
                Some((_, members)) => members.push((n, shared)),
                None => parts.push((labels, vec![(n, shared)])),
            }
        }
        parts.into_iter().map(|(_, members)| members).filter(|members| members.len() > 1).collect()
    }

    /// What joining these terms saves, less those that are cheaper alone.
    fn assess(&self, number: usize, costs: &[Costs], members: Vec<(usize, usize)>) -> Option<Join> {
        let sum = &self.sums[number];
        let outside = (1u64 << sum.extents.len()) - 1;
        let element = self.weights.element.max(1.0);
        let whole: f64 = sum.extents.iter().map(|&extent| extent as f64).product::<f64>() * element;
        let (first, shared) = members[0];
        let entry = &sum.entries[first];
        let inner = open(entry, outside, entry.kept.len() - 1 - shared);
        let inner_size = size(&entry.extents, inner);
        if inner_size > self.weights.most {
            return None;
        }
        let product = self.product_cost(entry, &costs[first], shared, inner);
        let known =
            |members: &[(usize, usize)]| self.find(inner.count_ones() as usize, &self.inner_terms(number, members)).is_some();
        let gain = |&(n, shared): &(usize, usize)| {
            let all = sum.entries[n].kept.len() - 1;
            costs[n].cost[all] + whole - costs[n].cost[all ^ shared] - inner_size * element
        };
        let alone = |members: &[(usize, usize)]| -> f64 {
            members.iter().map(|&(n, _)| costs[n].cost[sum.entries[n].kept.len() - 1] + whole).sum()
        };
        if known(&members) {
            let saving = alone(&members) - product - whole;
            return Some(Join { sum: number, members, saving });
        }
        let members: Vec<(usize, usize)> = members.into_iter().filter(|member| gain(member) > 0.0).collect();
        if members.len() < 2 {
            return None;
        }
        let saving = members.iter().map(gain).sum::<f64>() - product - whole + inner_size * element;
        Some(Join { sum: number, members, saving })
    }

    /// What it costs to multiply a tensor of these labels with some factors of a term.
    fn product_cost(&self, entry: &Entry, costs: &Costs, shared: usize, inner: u64) -> f64 {
        let factors: SmallVec<[usize; 8]> = (0..entry.term.factors.len()).filter(|n| shared >> n & 1 == 1).collect();
        let outside: u64 = entry.kept[entry.kept.len() - 1];
        // By subsets of the shared factors: what the new tensor times those has, and costs.
        let sets = 1usize << factors.len();
        let spread = |set: usize| {
            factors.iter().enumerate().filter(|(n, _)| set >> n & 1 == 1).fold(0, |all, (_, &factor)| all | 1 << factor)
        };
        let mut cost = vec![0.0; sets];
        let mut kept = vec![inner; sets];
        for set in 1..sets {
            let others =
                (0..factors.len()).filter(|n| (sets - 1 - set) >> n & 1 == 1).fold(0, |all, n| all | entry.kept[1 << factors[n]]);
            let all = (0..factors.len()).filter(|n| set >> n & 1 == 1).fold(inner, |all, n| all | entry.kept[1 << factors[n]]);
            kept[set] = all & (outside | others);
            let mut best = f64::INFINITY;
            let mut part = set;
            while part != 0 {
                let step = size(&entry.extents, kept[set ^ part] | entry.kept[spread(part)]);
                best = best.min(cost[set ^ part] + costs.cost[spread(part)] + step);
                part = (part - 1) & set;
            }
            cost[set] = best + self.weights.element * size(&entry.extents, kept[set]);
        }
        cost[sets - 1]
    }

    /// What members have beside the shared factors, over the labels that the joined sum is to have.
    fn inner_terms(&self, number: usize, members: &[(usize, usize)]) -> Vec<Term> {
        let sum = &self.sums[number];
        let inner = |&(n, shared): &(usize, usize)| {
            let entry = &sum.entries[n];
            let mut names = self.inner_names(sum, entry, shared);
            let mut factors: Vec<Factor> = others(entry, shared).cloned().collect();
            renamed(&mut factors, &mut names);
            Term { scale: entry.term.scale, factors }
        };
        members.iter().map(inner).collect()
    }

    /// The labels of a joined sum in a member's names: those of the sum, then those that the shared factors have, too.
    fn inner_names(&self, sum: &Sum, entry: &Entry, shared: usize) -> SmallVec<[Name; 8]> {
        let outside = (1u64 << sum.extents.len()) - 1;
        let open = open(entry, outside, entry.kept.len() - 1 - shared);
        let own = (0..sum.extents.len() as Name).filter(|label| open >> label & 1 == 1);
        own.chain(entry.rests[shared].1.iter().copied()).collect()
    }

    fn apply(&mut self, join: Join) {
        let Join { sum, members, .. } = join;
        let axes = self.sums[sum].extents.len();
        let terms = self.inner_terms(sum, &members);
        let (first, shared) = members[0];
        let entry = self.sums[sum].entries[first].clone();
        let names = self.inner_names(&self.sums[sum], &entry, shared);
        let extents: Vec<usize> = names.iter().map(|&label| entry.extents[usize::from(label)] as usize).collect();
        let mut gone: Vec<usize> = members.iter().map(|(n, _)| *n).collect();
        gone.sort_unstable();
        for n in gone.into_iter().rev() {
            self.remove(sum, n);
        }
        let mut factors: Vec<Factor> = others(&entry, entry.kept.len() - 1 - shared).cloned().collect();
        let mut scale = Complex::ONE;
        let inner = match self.find(names.len(), &terms) {
            Some(found) => {
                scale = found.scale;
                let labels = found.labels.iter().map(|&label| names[usize::from(label)]).collect();
                Some(Factor { node: found.node, conjugate: false, labels })
            }
            None => {
                let new = self.add_sum(extents, terms);
                match &self.sums[new].entries[..] {
                    // They cancel, or are one.
                    [] => return,
                    [_] => {
                        let only = self.remove(new, 0).term;
                        scale = only.scale;
                        let mut names: SmallVec<[Name; 8]> = names.clone();
                        let fresh = entry.extents.len().max(axes) as Name;
                        names.extend((0..64).map(|n| fresh + n));
                        for mut factor in only.factors {
                            factor.labels.iter_mut().for_each(|label| *label = names[usize::from(*label)]);
                            factors.push(factor);
                        }
                        None
                    }
                    _ => {
                        let node = self.know(new);
                        Some(Factor { node, conjugate: false, labels: names.iter().copied().collect() })
                    }
                }
            }
        };
        factors.extend(inner);
        let mut names: SmallVec<[Name; 8]> = (0..axes as Name).collect();
        renamed(&mut factors, &mut names);
        self.add_term(sum, Term { scale, factors });
    }
}

/// The labels that the product of a set of factors has, also where it is a single one.
fn open(entry: &Entry, outside: u64, set: usize) -> u64 {
    let labels = |set: usize| {
        let own = entry.term.factors.iter().enumerate().filter(|(n, _)| set >> n & 1 == 1);
        own.flat_map(|(_, factor)| &factor.labels).fold(0u64, |all, &label| all | 1 << label)
    };
    labels(set) & (outside | labels(entry.kept.len() - 1 - set))
}

/// The factors that are not in a set.
fn others(entry: &Entry, set: usize) -> impl Iterator<Item = &Factor> {
    entry.term.factors.iter().enumerate().filter(move |(n, _)| set >> n & 1 == 0).map(|(_, factor)| factor)
}

/// Gives labels the numbers that they have among `names`, and the next ones to those that are new.
pub(super) fn renamed(factors: &mut [Factor], names: &mut SmallVec<[Name; 8]>) {
    for label in factors.iter_mut().flat_map(|factor| &mut factor.labels) {
        let place = names.iter().position(|known| known == label).unwrap_or_else(|| {
            names.push(*label);
            names.len() - 1
        });
        *label = place as Name;
    }
}
