//! Splits terms of several factors into products of two, starting with the most expensive term. A product that was formed once
//! costs other terms nothing.

use smallvec::SmallVec;

use super::join::{Costs, renamed};
use super::term::{Factor, Name, Role, Term, canonical};
use super::work::{Entry, Kind, Work, size};

impl Work {
    /// Leaves no term with more than one factor, nor with a label that is summed.
    pub(super) fn form_all(&mut self) {
        let mut left: Vec<(usize, usize)> = Vec::new();
        for (sum, known) in self.sums.iter().enumerate() {
            left.extend((0..known.entries.len()).map(|entry| (sum, entry)));
        }
        // By what they cost if each were alone, so that the cheap ones find what the dear ones have made.
        let mut costed: Vec<(f64, (usize, usize))> = left
            .into_iter()
            .map(|(sum, entry)| {
                let costs = self.costs(&self.sums[sum].entries[entry]);
                (costs.cost.last().copied().unwrap_or(0.0), (sum, entry))
            })
            .collect();
        costed.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (_, (sum, entry)) in costed {
            self.form(sum, entry);
        }
    }

    fn form(&mut self, sum: usize, number: usize) {
        let axes = self.sums[sum].extents.len();
        let entry = self.sums[sum].entries[number].clone();
        let sums = entry.term.factors.iter().flat_map(|factor| &factor.labels).any(|&label| usize::from(label) >= axes);
        if entry.term.factors.is_empty() || entry.term.factors.len() == 1 && !sums {
            return;
        }
        let costs = self.costs(&entry);
        let outside = (1u64 << axes) - 1;
        let factor = self.part(&entry, &costs, entry.kept.len() - 1, outside);
        self.sums[sum].entries[number].term.factors = vec![factor];
    }

    /// The product of a set of a term's factors.
    fn part(&mut self, entry: &Entry, costs: &Costs, set: usize, outside: u64) -> Factor {
        let all = entry.kept.len() - 1;
        let kept = if set == all { labels(entry, set) & outside } else { entry.kept[set] };
        if set.count_ones() == 1 {
            let factor = entry.term.factors[set.trailing_zeros() as usize].clone();
            return if set == all { self.summed(&factor, kept, &entry.extents) } else { factor };
        }
        let role = |label: Name| if kept >> label & 1 == 1 { Role::Open } else { Role::Inner };
        let own: SmallVec<[&Factor; 8]> =
            entry.term.factors.iter().enumerate().filter(|(n, _)| set >> n & 1 == 1).map(|(_, factor)| factor).collect();
        let (_, order) = canonical(&own, role);
        let order: SmallVec<[Name; 8]> = order.into_iter().filter(|&label| kept >> label & 1 == 1).collect();
        let key = entry.keys[set] as usize;
        let node = self.formed[key].unwrap_or_else(|| {
            let half = costs.half[set];
            let mut factors = vec![self.part(entry, costs, set ^ half, outside), self.part(entry, costs, half, outside)];
            let extents = order.iter().map(|&label| entry.extents[usize::from(label)] as usize).collect();
            renamed(&mut factors, &mut order.clone());
            let is_kept = entry.are_kept[set] && size(&entry.extents, kept) <= self.weights.most;
            let node = self.add_node(Kind::Product(factors), extents, is_kept);
            self.formed[key] = Some(node);
            node
        });
        Factor { node, conjugate: false, labels: order.into_iter().collect() }
    }

    /// A term whose factors are summed over the labels that no other one and no axis of the sum has. Factors that have the labels of
    /// all others are left: to multiply first costs no more there. Elsewhere it costs more by what it sums, and mostly much more.
    pub(super) fn presummed(&mut self, mut term: Term, axes: usize) -> Term {
        let extents = self.extents(&term);
        for n in 0..term.factors.len() {
            let bits = |factor: &Factor| factor.labels.iter().fold(0u64, |all, &label| all | 1 << label);
            let others = term.factors.iter().enumerate().filter(|(m, _)| *m != n).fold(0, |all, (_, other)| all | bits(other));
            let own = bits(&term.factors[n]);
            let kept = own & (((1u64 << axes) - 1) | others);
            if kept != own && others & !own != 0 && size(&extents, kept) <= self.weights.most {
                term.factors[n] = self.summed(&term.factors[n], kept, &extents);
            }
        }
        term
    }

    /// A single tensor summed over all labels but those that are kept.
    fn summed(&mut self, factor: &Factor, kept: u64, extents: &[f64]) -> Factor {
        let role = |label: Name| if kept >> label & 1 == 1 { Role::Open } else { Role::Inner };
        let (_, order) = canonical(&[factor], role);
        let order: SmallVec<[Name; 8]> = order.into_iter().filter(|&label| kept >> label & 1 == 1).collect();
        let mut factors = vec![factor.clone()];
        renamed(&mut factors, &mut order.clone());
        let known = (factors[0].clone(), order.len());
        let node = self.presums.get(&known).copied().unwrap_or_else(|| {
            let is_kept = self.nodes[factor.node as usize].is_kept && size(extents, kept) <= self.weights.most;
            let extents = order.iter().map(|&label| extents[usize::from(label)] as usize).collect();
            let node = self.add_node(Kind::Product(factors), extents, is_kept);
            self.presums.insert(known, node);
            node
        });
        Factor { node, conjugate: false, labels: order.into_iter().collect() }
    }
}

fn labels(entry: &Entry, set: usize) -> u64 {
    let own = entry.term.factors.iter().enumerate().filter(|(n, _)| set >> n & 1 == 1);
    own.flat_map(|(_, factor)| &factor.labels).fold(0u64, |all, &label| all | 1 << label)
}
