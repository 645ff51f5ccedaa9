//! Splits terms of several factors into products of two, starting with the most expensive term. A product that was formed once
//! costs other terms nothing.

use std::collections::HashMap;

use smallvec::SmallVec;

use super::choose::Choices;
use super::costs::Chosen;
use super::join::renamed;
use super::term::{Factor, Name, Role, Term, canonical};
use super::work::{Entry, Kind, Work, size};

/// The nodes of products that are formed, by the numbers of their keys.
type Formed = HashMap<u32, u32>;

impl Work {
    /// Leaves no term with more than one factor, nor with a label that is summed.
    pub(super) fn form_all(&mut self) {
        let choices = self.choose_all();
        let mut formed = Formed::new();
        for (n, &(sum, number)) in choices.places.iter().enumerate() {
            let (entry, axes) = (&choices.entries[n], self.sums[sum].extents.len());
            let sums = entry.term.factors.iter().flat_map(|factor| &factor.labels).any(|&label| usize::from(label) >= axes);
            if entry.term.factors.is_empty() || entry.term.factors.len() == 1 && !sums {
                continue;
            }
            let factor = match &entry.term.factors[..] {
                [only] => {
                    let kept = only.labels.iter().fold(0u64, |all, &label| all | 1 << label) & ((1 << axes) - 1);
                    self.summed(only, kept, &entry.extents)
                }
                _ => self.part(&choices, &mut formed, (n, entry.kept.len() - 1)),
            };
            self.sums[sum].entries[number].term.factors = vec![factor];
        }
    }

    /// The product of a set of a term's factors.
    fn part(&mut self, choices: &Choices, formed: &mut Formed, (n, set): (usize, usize)) -> Factor {
        let entry = &choices.entries[n];
        if set.count_ones() == 1 {
            return entry.term.factors[set.trailing_zeros() as usize].clone();
        }
        let labels = open_labels(entry, set);
        let known = formed.get(&entry.keys[set]).copied();
        let node = known.unwrap_or_else(|| {
            // Where it was chosen, its labels have other names, but the same order.
            let Chosen { entry: n, set, half } = choices.chosen(n, set);
            let entry = &choices.entries[n];
            let mut factors = vec![self.part(choices, formed, (n, set ^ half)), self.part(choices, formed, (n, half))];
            let order = open_labels(entry, set);
            let extents = order.iter().map(|&label| entry.extents[usize::from(label)] as usize).collect();
            renamed(&mut factors, &mut order.clone());
            let is_kept = entry.are_kept[set] && size(&entry.extents, entry.kept[set]) <= self.weights.most;
            let node = self.add_node(Kind::Product(factors), extents, is_kept);
            formed.insert(entry.keys[set], node);
            node
        });
        Factor { node, conjugate: false, labels: labels.into_iter().collect() }
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

/// The labels of a product of some of a term's factors, in the order of its key.
fn open_labels(entry: &Entry, set: usize) -> SmallVec<[Name; 8]> {
    let kept = entry.kept[set];
    let role = |label: Name| if kept >> label & 1 == 1 { Role::Open } else { Role::Inner };
    let own: SmallVec<[&Factor; 8]> =
        entry.term.factors.iter().enumerate().filter(|(n, _)| set >> n & 1 == 1).map(|(_, factor)| factor).collect();
    canonical(&own, role).1.into_iter().filter(|&label| kept >> label & 1 == 1).collect()
}
