//! Lowers sums over labels to contractions, or to one pass over what is summed.

use num_complex::Complex;

use super::fragment::{Fragment, joined};
use super::product::{Product, split};
use super::{Frame, Lowering, places};
use crate::expr::Tree;
use tensorwrapper_core::backend::{Binary, Instruction, Reduction, Unary};
use tensorwrapper_core::graph::{Edge, Label, Operation};

impl<'a> Lowering<'a> {
    /// A sum over labels: a contraction where the body is a product, one pass over it where it is not.
    pub(super) fn sum(&mut self, labels: &[Label], body: &Tree<'a>, frame: Frame<'_>) -> Edge {
        let mut product = Product { alpha: Complex::new(1.0, 0.0), summed: labels.to_vec(), ..Product::default() };
        split(body, &mut product);
        let numerators: Vec<Fragment> = product.numerators.iter().map(|t| self.tree(t, frame)).collect();
        let denominators: Vec<Fragment> = product.denominators.iter().map(|t| self.tree(t, frame)).collect();
        let simple = denominators.is_empty() && numerators.iter().all(Fragment::is_edge);
        let one_factor_has_all = || {
            let all = || numerators.iter().chain(&denominators);
            let union: Vec<Label> = all().flat_map(Fragment::labels).collect();
            let has_all = |own: Vec<Label>| union.iter().all(|label| own.contains(label));
            all().any(|fragment| has_all(fragment.labels()))
        };
        if !simple && one_factor_has_all() {
            // Nothing is gained by cutting the product up: one pass computes and sums it.
            let fragment = joined(product.alpha, numerators, denominators);
            return self.fold_fragment(fragment, &product.summed, Reduction::Sum, frame);
        }
        let factors = self.factors(numerators, denominators, frame);
        self.contract(product.alpha, factors, &product.summed, frame)
    }

    /// Every factor as a tensor. A denominator joins a numerator that has all its labels.
    fn factors(&mut self, mut numerators: Vec<Fragment>, denominators: Vec<Fragment>, frame: Frame<'_>) -> Vec<Edge> {
        for denominator in denominators {
            let labels = denominator.labels();
            let host = numerators.iter().position(|n| {
                let own = n.labels();
                labels.iter().all(|l| own.contains(l))
            });
            match host {
                Some(n) => {
                    let numerator = numerators[n].clone();
                    numerators[n] = numerator.combine(Binary::Divide, denominator);
                }
                None => {
                    numerators.push(denominator.then(|a| Instruction::Apply(Unary::Recip, a)));
                }
            }
        }
        numerators.into_iter().map(|fragment| self.materialise(fragment, frame)).collect()
    }

    fn contract(&mut self, mut alpha: Complex<f64>, factors: Vec<Edge>, summed: &[Label], frame: Frame<'_>) -> Edge {
        let mut present: Vec<Label> = factors.iter().flat_map(Edge::labels).collect();
        present.sort_unstable();
        present.dedup();
        // A sum over a label that no factor has multiplies by its extent.
        for label in summed.iter().filter(|l| present.binary_search(l).is_err()) {
            alpha *= frame.extents[*label] as f64;
        }
        let is_summed = places(summed, frame.extents.len());
        let (over, kept): (Vec<Label>, Vec<Label>) = present.into_iter().partition(|&l| is_summed[l].is_some());
        let kept = frame.order(kept);
        if summed.iter().any(|&label| frame.extents[label] == 0) {
            // A sum over nothing is zero, even where a factor outside of it is infinite.
            let zero = Fragment::constant(Complex::new(0.0, 0.0));
            let tensor = self.map(zero, &kept, &[], Reduction::Sum, frame);
            return Edge::whole(tensor, &kept);
        }
        let tensor = self.add(Operation::Contract { alpha, then: None }, factors, &kept, &over, frame);
        Edge::whole(tensor, &kept)
    }
}
