//! Which permutations of a result's axes are tried as its symmetries: all of them where axes are few, otherwise exchanges and what operands
//! and claims suggest.
//!
//! Knows nothing of cuts, blocks or elements; whether a permutation is a symmetry is for others to say.

use std::collections::BTreeSet;

use tensorwrapper_core::symmetry::{Sign, Symmetry};

use super::terms::Term;

/// Axes of a result of which all permutations are tried.
const ALL_PERMUTATIONS: usize = 6;

/// Elements of an operand's group that are all carried over to a result; of a larger group its generators are.
const MOST_ELEMENTS: usize = 120;

/// Permutations that the factors of a result suggest at most: each of them costs a comparison of products.
const MOST_SUGGESTED: usize = 512;

/// How a result changes when its axes are permuted.
pub(super) struct Permuted<'p> {
    pub(super) is_complex: bool,
    /// The sign with which it stays the same when its axes are permuted so and, where that is asked, conjugated.
    pub(super) sign_of: &'p dyn Fn(&[usize], bool) -> Option<Sign>,
    /// Permutations that its factors suggest.
    pub(super) suggested: Vec<Vec<usize>>,
}

impl Permuted<'_> {
    /// The permutations of so many axes that are tried, the identity among them. Each sends every axis to one that it may change places with.
    pub(super) fn candidates(
        &self,
        rank: usize,
        claimed: impl Iterator<Item = Vec<usize>>,
        may: &dyn Fn(usize, usize) -> bool,
    ) -> Vec<Vec<usize>> {
        if rank <= ALL_PERMUTATIONS {
            return permutations(rank, may);
        }
        let mut all = exchanges(rank, may);
        let mut known: BTreeSet<Vec<usize>> = all.iter().cloned().collect();
        for axes in claimed.chain(self.suggested.iter().cloned()) {
            if axes.iter().enumerate().all(|(n, &axis)| n == axis || may(n, axis)) && known.insert(axes.clone()) {
                all.push(axes);
            }
        }
        all
    }
}

/// What the factors of products suggest for a result with these labels: permutations of the labels of a factor by its symmetry, and the
/// exchange of two factors that are one tensor. Nothing where all permutations are tried.
pub(super) fn suggested(terms: &[Term], left: &[usize], symmetries: &[&Symmetry]) -> Vec<Vec<usize>> {
    let mut found = BTreeSet::new();
    if left.len() <= ALL_PERMUTATIONS {
        return Vec::new();
    }
    for term in terms {
        for (n, factor) in term.factors.iter().enumerate() {
            let symmetry = symmetries[factor.operand];
            let is_small = symmetry.order() <= MOST_ELEMENTS;
            for element in if is_small { symmetry.elements() } else { symmetry.generators() } {
                let images = element.axes().map(|axis| factor.labels[axis]);
                found.extend(carried(left, factor.labels.iter().copied().zip(images)));
            }
            for other in term.factors[n + 1..].iter().filter(|other| other.operand == factor.operand) {
                let pairs = factor.labels.iter().copied().zip(other.labels.iter().copied());
                found.extend(carried(left, pairs.clone().chain(pairs.map(|(one, other)| (other, one)))));
            }
            if found.len() >= MOST_SUGGESTED {
                return found.into_iter().take(MOST_SUGGESTED).collect();
            }
        }
    }
    found.into_iter().collect()
}

/// The permutation of a result's axes that sends labels to others, if it is one: labels that are summed change places among themselves.
fn carried(left: &[usize], moves: impl Iterator<Item = (usize, usize)>) -> Option<Vec<usize>> {
    let place = |label: usize| left.iter().position(|&own| own == label);
    let mut axes: Vec<Option<usize>> = vec![None; left.len()];
    for (label, image) in moves {
        match (place(label), place(image)) {
            (Some(n), Some(axis)) if axes[n].is_none_or(|known| known == axis) => axes[n] = Some(axis),
            (None, None) => {}
            _ => return None,
        }
    }
    let axes: Vec<usize> = axes.iter().enumerate().map(|(n, axis)| axis.unwrap_or(n)).collect();
    // Two labels of one factor may become the same one.
    (0..left.len()).all(|axis| axes.contains(&axis)).then_some(axes)
}

/// The identity, exchanges of two axes, and those of two pairs.
fn exchanges(rank: usize, may: &dyn Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let identity: Vec<usize> = (0..rank).collect();
    let mut all = vec![identity.clone()];
    let pairs: Vec<(usize, usize)> =
        (0..rank).flat_map(|a| (a + 1..rank).map(move |b| (a, b))).filter(|&(a, b)| may(a, b)).collect();
    for (n, &(a, b)) in pairs.iter().enumerate() {
        let mut exchanged = identity.clone();
        exchanged.swap(a, b);
        for &(c, d) in pairs[n + 1..].iter().filter(|(c, d)| ![a, b].contains(c) && ![a, b].contains(d)) {
            let mut both = exchanged.clone();
            both.swap(c, d);
            all.push(both);
        }
        all.push(exchanged);
    }
    all
}

/// All permutations of so many axes that send each to one that it may change places with.
fn permutations(rank: usize, may: &dyn Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut begun: Vec<Vec<usize>> = vec![Vec::new()];
    for n in 0..rank {
        let next = begun.iter().flat_map(|axes| {
            (0..rank).filter(|axis| !axes.contains(axis) && may(n, *axis)).map(move |axis| [&axes[..], &[axis]].concat())
        });
        begun = next.collect();
    }
    begun
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_carry_permutations_over() {
        // Labels 0 to 6 of a result change places with each other, and summed ones with summed ones.
        let left = [0, 1, 2, 3, 4, 5, 6];
        assert_eq!(carried(&left, [(0, 1), (1, 0), (9, 8), (8, 9)].into_iter()), Some(vec![1, 0, 2, 3, 4, 5, 6]));
        assert_eq!(carried(&left, [(0, 9), (9, 0)].into_iter()), None);
        assert_eq!(carried(&left, [(0, 1), (1, 1)].into_iter()), None);
        assert_eq!(carried(&left, [(0, 1), (0, 2)].into_iter()), None);
    }
}
