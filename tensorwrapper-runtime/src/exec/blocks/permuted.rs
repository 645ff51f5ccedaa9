//! Which permutations of a result's axes are tried as its symmetries: all of them where axes are few, otherwise exchanges and what operands
//! and claims suggest.
//!
//! Knows nothing of cuts, blocks or elements; whether a permutation is a symmetry is for others to say.

use std::collections::{BTreeSet, HashSet};

use tensorwrapper_core::symmetry::{Sign, SignedPermutation, Symmetry};

use super::terms::{Factor, Term};

/// Axes of a result of which all permutations are tried.
const ALL_PERMUTATIONS: usize = 6;

/// Elements of an operand's group that are all carried over to a result; of a larger group its generators are.
const MOST_ELEMENTS: usize = 120;

/// Permutations that the factors of a result suggest at most: each of them costs a comparison of products.
const MOST_SUGGESTED: usize = 512;

/// Pairs of axes at most of which two are exchanged at once: there are about half the square of this number of them.
const MOST_PAIRS: usize = 128;

/// How a result changes when its axes are permuted.
pub(super) struct Permuted<'p> {
    pub(super) is_complex: bool,
    /// The sign with which it stays the same when its axes are permuted so and, where that is asked, conjugated.
    pub(super) sign_of: &'p dyn Fn(&[usize], bool) -> Option<Sign>,
    /// Permutations that its factors suggest.
    pub(super) suggested: Vec<Vec<usize>>,
}

impl Permuted<'_> {
    /// The permutations of so many axes that are tried, each once, the identity among them. Each sends every axis to one that it may change
    /// places with.
    pub(super) fn candidates(
        &self,
        rank: usize,
        claimed: impl Iterator<Item = Vec<usize>>,
        may: &dyn Fn(usize, usize) -> bool,
    ) -> Vec<Vec<usize>> {
        if rank <= ALL_PERMUTATIONS {
            return permutations(rank, may);
        }
        let fits = |axes: &Vec<usize>| axes.iter().enumerate().all(|(n, &axis)| n == axis || may(n, axis));
        // What is claimed comes first: where the whole group is too large, the first ones are what is known of it.
        let exchanges = exchanges(rank, may);
        let all = claimed.filter(fits).chain(exchanges).chain(self.suggested.iter().filter(|axes| fits(axes)).cloned());
        // Claims and suggestions often are exchanges, and each permutation costs a comparison of products.
        let mut known = HashSet::new();
        all.filter(|axes| known.insert(axes.clone())).collect()
    }
}

/// What the factors of products suggest for a result with these labels: permutations of the labels of a factor by its symmetry, and the
/// exchange of two factors that are one tensor. Nothing where all permutations are tried.
pub(super) fn suggested(terms: &[Term], left: &[usize], symmetries: &[&Symmetry]) -> Vec<Vec<usize>> {
    if left.len() <= ALL_PERMUTATIONS {
        return Vec::new();
    }
    let factors = || terms.iter().flat_map(|term| &term.factors);
    let carried_by = |factor: &Factor, elements: &[SignedPermutation]| {
        let images = |element: &SignedPermutation| element.axes().map(|axis| factor.labels[axis]).collect::<Vec<_>>();
        let moves = |element| carried(left, factor.labels.iter().copied().zip(images(element)));
        elements.iter().filter_map(moves).collect::<Vec<_>>()
    };
    let exchanged = terms.iter().flat_map(|term| {
        let pairs =
            term.factors.iter().enumerate().flat_map(|(n, one)| term.factors[n + 1..].iter().map(move |other| (one, other)));
        pairs.filter(|(one, other)| one.operand == other.operand).filter_map(|(one, other)| {
            let pairs = one.labels.iter().copied().zip(other.labels.iter().copied());
            carried(left, pairs.clone().chain(pairs.map(|(one, other)| (other, one))))
        })
    });
    let generators = factors().flat_map(|factor| carried_by(factor, symmetries[factor.operand].generators()));
    // Elements follow from generators, but for those of which only products carry over.
    let small = factors().filter(|factor| symmetries[factor.operand].order() <= MOST_ELEMENTS);
    let elements = small.flat_map(|factor| carried_by(factor, symmetries[factor.operand].elements()));
    let mut known = BTreeSet::new();
    exchanged.chain(generators).chain(elements).filter(|axes| known.insert(axes.clone())).take(MOST_SUGGESTED).collect()
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

/// The identity, exchanges of two axes, and those of two pairs where there are not too many.
fn exchanges(rank: usize, may: &dyn Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let identity: Vec<usize> = (0..rank).collect();
    let mut all = vec![identity.clone()];
    let pairs: Vec<(usize, usize)> =
        (0..rank).flat_map(|a| (a + 1..rank).map(move |b| (a, b))).filter(|&(a, b)| may(a, b)).collect();
    for (n, &(a, b)) in pairs.iter().enumerate() {
        let mut exchanged = identity.clone();
        exchanged.swap(a, b);
        let others = if pairs.len() <= MOST_PAIRS { &pairs[n + 1..] } else { &[] };
        for &(c, d) in others.iter().filter(|(c, d)| ![a, b].contains(c) && ![a, b].contains(d)) {
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
    fn each_permutation_is_tried_once() {
        let exchanged = |a: usize, b: usize| {
            let mut axes: Vec<usize> = (0..7).collect();
            axes.swap(a, b);
            axes
        };
        let cycle = vec![1, 2, 0, 3, 4, 5, 6];
        let suggested = vec![exchanged(0, 1), cycle.clone(), exchanged(5, 6), exchanged(0, 6)];
        let permuted = Permuted { is_complex: false, sign_of: &|_, _| None, suggested };
        // Axis 6 changes places with axis 5 alone.
        let may = |a: usize, b: usize| a.max(b) < 6 || a.min(b) == 5;
        let tried = permuted.candidates(7, [exchanged(2, 3), exchanged(2, 3), exchanged(3, 6)].into_iter(), &may);
        assert_eq!((&tried[0], &tried[1], tried.last()), (&exchanged(2, 3), &exchanged(0, 0), Some(&cycle)));
        assert_eq!(tried.iter().collect::<BTreeSet<_>>().len(), tried.len());
        assert!(tried.contains(&exchanged(5, 6)) && !tried.contains(&exchanged(0, 6)) && !tried.contains(&exchanged(3, 6)));
    }

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
