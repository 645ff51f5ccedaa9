//! When two products are equal, up to a sign, because of the symmetries of their factors: factors change places, summed labels are renamed.
//!
//! Knows nothing of elements, blocks or cuts.

use tensorwrapper_core::symmetry::{Sign, Symmetry};

use super::terms::Term;

/// Pairs of factors that a search tries at most: beyond that, what it did not find is not known.
const MOST_TRIED: usize = 1 << 18;

/// A pairing of labels: for each label of one product, its partner in the other.
pub(super) type Pairing = Vec<Option<usize>>;

/// Comparisons of products over these operands.
pub(super) struct ProductComparison<'c> {
    /// The symmetry of each operand.
    pub(super) symmetries: &'c [&'c Symmetry],
    /// Whether conjugates differ from what they are conjugates of.
    pub(super) is_complex: bool,
    /// Number of labels.
    pub(super) labels: usize,
    /// A label that is no other's partner: not all of its indices are summed.
    pub(super) fixed: Option<usize>,
}

impl ProductComparison<'_> {
    /// The sign with which one product is the other one, whatever their numbers: their free labels are the same, summed ones have any
    /// names. With both signs, the product is zero. At most one of each is looked for.
    pub(super) fn signs(&self, one: &Term, other: &Term) -> (bool, bool) {
        let (mut plus, mut minus) = (false, false);
        self.each(one, other, &mut |sign, _| {
            match sign {
                Sign::Plus => plus = true,
                Sign::Minus => minus = true,
            }
            plus && minus
        });
        (plus, minus)
    }

    /// Calls back with each way to make one product of the other one, until that says that it has enough. Whether all were tried, or
    /// enough.
    pub(super) fn each(&self, one: &Term, other: &Term, found: &mut dyn FnMut(Sign, &Pairing) -> bool) -> bool {
        if one.factors.len() != other.factors.len() || one.summed.len() != other.summed.len() {
            return true;
        }
        let mut search = Search {
            comparison: self,
            one,
            other,
            used: vec![false; other.factors.len()],
            pairing: vec![None; self.labels],
            taken: vec![false; self.labels],
            found,
            left: MOST_TRIED,
        };
        search.factor(0, Sign::Plus);
        search.left > 0
    }
}

/// A search, factor by factor.
struct Search<'s> {
    comparison: &'s ProductComparison<'s>,
    one: &'s Term,
    other: &'s Term,
    /// Which factors of the other product have a partner.
    used: Vec<bool>,
    pairing: Pairing,
    /// Which labels of the other product have a partner.
    taken: Vec<bool>,
    found: &'s mut dyn FnMut(Sign, &Pairing) -> bool,
    /// How many pairs of factors may still be tried.
    left: usize,
}

impl Search<'_> {
    /// Finds partners for the factors from that number on; whether there is enough.
    fn factor(&mut self, number: usize, sign: Sign) -> bool {
        let (one, other) = (self.one, self.other);
        let Some(factor) = one.factors.get(number) else { return (self.found)(sign, &self.pairing) };
        let symmetry = self.comparison.symmetries[factor.operand];
        for partner in 0..other.factors.len() {
            if self.used[partner] || other.factors[partner].operand != factor.operand {
                continue;
            }
            self.used[partner] = true;
            for element in symmetry.elements() {
                let conjugates = factor.conjugates != element.conjugates();
                if self.comparison.is_complex && conjugates != other.factors[partner].conjugates {
                    continue;
                }
                if self.left == 0 {
                    return true;
                }
                self.left -= 1;
                let before = (self.pairing.clone(), self.taken.clone());
                let pairs = element.axes().zip(&other.factors[partner].labels);
                let fits = pairs.into_iter().all(|(axis, &label)| self.pair(factor.labels[axis], label));
                if fits && self.factor(number + 1, sign * element.sign()) {
                    return true;
                }
                (self.pairing, self.taken) = before;
            }
            self.used[partner] = false;
        }
        false
    }

    /// Makes two labels partners, if they are free to be.
    fn pair(&mut self, label: usize, partner: usize) -> bool {
        if let Some(known) = self.pairing[label] {
            return known == partner;
        }
        let (is_summed, is_other_summed) = (self.one.summed.contains(&label), self.other.summed.contains(&partner));
        let is_fixed = [label, partner].into_iter().any(|label| self.comparison.fixed == Some(label));
        let may_differ = is_summed && !is_fixed;
        let fits = is_summed == is_other_summed && !self.taken[partner] && (may_differ || label == partner);
        if fits {
            self.pairing[label] = Some(partner);
            self.taken[partner] = true;
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use num_complex::Complex;

    use super::super::terms::{Factor, Term};
    use super::*;

    fn term(factors: &[(usize, &[usize])], summed: &[usize]) -> Term {
        let factor = |&(operand, labels): &(usize, &[usize])| Factor { operand, conjugates: false, labels: labels.to_vec() };
        Term { scale: Complex::ONE, factors: factors.iter().map(factor).collect(), summed: summed.to_vec() }
    }

    #[test]
    fn factors_change_places_and_summed_labels_their_names() {
        let none = Symmetry::none(2);
        let (symmetric, antisymmetric) = (none.symmetric([0, 1]).unwrap(), none.antisymmetric([0, 1]).unwrap());
        let compare = |middle: &Symmetry, one: &Term, other: &Term| {
            ProductComparison { symmetries: &[&none, middle], is_complex: false, labels: 4, fixed: None }.signs(one, other)
        };
        // C[i, p] F[i, j] C[j, q], and with p and q exchanged.
        let sandwich = term(&[(0, &[2, 0]), (1, &[2, 3]), (0, &[3, 1])], &[2, 3]);
        let exchanged = term(&[(0, &[2, 1]), (1, &[2, 3]), (0, &[3, 0])], &[2, 3]);
        assert_eq!(compare(&symmetric, &sandwich, &exchanged), (true, false));
        assert_eq!(compare(&antisymmetric, &sandwich, &exchanged), (false, true));
        assert_eq!(compare(&none, &sandwich, &exchanged), (false, false));
        // The trace of an antisymmetric with a symmetric matrix is zero.
        let both = ProductComparison { symmetries: &[&symmetric, &antisymmetric], is_complex: false, labels: 2, fixed: None };
        let trace = term(&[(0, &[0, 1]), (1, &[0, 1])], &[0, 1]);
        assert_eq!(both.signs(&trace, &trace), (true, true));
    }
}
