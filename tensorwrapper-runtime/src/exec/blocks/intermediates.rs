//! The intermediates of a product of several factors: which factors are multiplied first, and what sums of one factor come before.

use num_complex::Complex;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::shape::Tiling;
use tensorwrapper_core::structure::Structure;

use super::cuts::Cuts;
use super::infer::{self, Said};
use super::order::{self, SparseNetwork};
use super::plan::{Draft, Planner, Target};
use super::terms::{Factor, Sum, Term};

/// Indices of a tile, in the mean, that are worth being neighbours in an intermediate: about as many as a cache line has.
const LONG: usize = 8;

impl Planner<'_> {
    /// Plans all products of a term but the last one, which is returned. Nothing where the term is zero.
    pub(super) fn up_to_last<T: Element>(&mut self, term: &Term, sum: &Sum) -> Result<Option<Sum>, Error> {
        let mut factors = term.factors.clone();
        let is_needed = |label: usize, others: &[Factor]| {
            sum.left.contains(&label) || others.iter().any(|other| other.labels.contains(&label))
        };
        // Labels of one factor alone are summed first.
        for n in 0..factors.len() {
            let others: Vec<Factor> =
                factors.iter().enumerate().filter(|(other, _)| *other != n).map(|(_, factor)| factor.clone()).collect();
            if !others.is_empty() && factors[n].labels.iter().any(|&label| !is_needed(label, &others)) {
                let left = unique(&factors[n].labels, &|label| is_needed(label, &others));
                let own = vec![factors[n].clone()];
                let Some(reduced) = self.step::<T>(own, left, sum)? else { return Ok(None) };
                factors[n] = reduced;
            }
        }
        for (a, b) in self.order(&factors, sum)? {
            if factors.len() == 2 {
                break;
            }
            let right = factors.remove(a.max(b));
            let left = factors.remove(a.min(b));
            let labels = unique(&[&left.labels[..], &right.labels[..]].concat(), &|label| is_needed(label, &factors));
            let labels = self.with_long_last(labels, [&left, &right]);
            let Some(product) = self.step::<T>(vec![left, right], labels, sum)? else { return Ok(None) };
            factors.push(product);
        }
        let Some(factors) = self.two::<T>(factors, &sum.left, sum)? else { return Ok(None) };
        Ok(Some(product(factors, sum.left.clone(), sum, term.scale)))
    }

    /// An order of pairs, in positions of what is left.
    fn order(&self, factors: &[Factor], sum: &Sum) -> Result<Vec<(usize, usize)>, Error> {
        if factors.len() < 3 {
            return Ok(Vec::new());
        }
        let (mut extents, mut tiles) = (vec![1; sum.names.len()], vec![1; sum.names.len()]);
        let mut shares = Vec::with_capacity(factors.len());
        for factor in factors {
            let structure = &self.tensors.structures[factor.operand];
            for (&label, tiling) in factor.labels.iter().zip(structure.tilings()) {
                (extents[label], tiles[label]) = (tiling.extent(), tiling.len().max(tiles[label]));
            }
            shares.push(order::share(structure)?);
        }
        let factors = factors.iter().zip(shares).map(|(factor, share)| (&factor.labels[..], share)).collect();
        SparseNetwork { factors, left: &sum.left, extents, tiles }.order(self.chosen)
    }

    /// These labels of two factors, those whose tiles are long the last: so neighbours in an intermediate are many, which are read and
    /// written together.
    fn with_long_last(&self, mut labels: Vec<usize>, factors: [&Factor; 2]) -> Vec<usize> {
        let is_long = |label: &usize| {
            factors.iter().any(|factor| {
                let own = factor.labels.iter().position(|own| own == label);
                let tiling = own.map(|axis| &self.tensors.structures[factor.operand].tilings()[axis]);
                tiling.is_some_and(|tiling| tiling.extent() >= LONG * tiling.len())
            })
        };
        labels.sort_by_key(is_long);
        labels
    }

    /// A product of one or two factors into a tensor of its own. Nothing where it is zero.
    fn step<T: Element>(&mut self, factors: Vec<Factor>, left: Vec<usize>, sum: &Sum) -> Result<Option<Factor>, Error> {
        let Some(factors) = self.two::<T>(factors, &left, sum)? else { return Ok(None) };
        let product = product(factors, left.clone(), sum, Complex::ONE);
        if let Some(known) = self.made_before(&product) {
            return Ok(Some(known));
        }
        let cuts = Cuts::new(&product, &self.tensors, &[])?;
        let terms = self.compare(&product, |comparison| infer::without_equal(product.terms.clone(), comparison));
        if terms.is_empty() {
            return Ok(None);
        }
        let frame = self.frame(&product, &cuts, None, Said::default())?;
        let asks = self.has_made(&product);
        let (blocks, reads) = self.request(&product, frame.tilings(), |request| request.blocks::<T>(&frame, asks))?;
        let structure = frame.with_blocks(&blocks)?;
        let number = self.tensors.add(structure.clone(), "an intermediate");
        self.drafts.push(Draft { product, makes: Target::Intermediate(number), structure, is_part: false, reads });
        Ok(Some(Factor { operand: number, conjugates: false, labels: left }))
    }

    /// Two factors: one alone is multiplied by ones along what it is summed over, label by label. Nothing where it is zero.
    fn two<T: Element>(&mut self, mut factors: Vec<Factor>, left: &[usize], sum: &Sum) -> Result<Option<Vec<Factor>>, Error> {
        if factors.len() == 1 {
            let mut summed = unique(&factors[0].labels, &|label| !left.contains(&label));
            while summed.len() > 1 {
                let label = summed.remove(0);
                let rest = unique(&factors[0].labels, &|other| other != label);
                let Some(reduced) = self.step::<T>(factors, rest, sum)? else { return Ok(None) };
                factors = vec![reduced];
            }
            let own = vec![Term { scale: Complex::ONE, factors: factors.clone(), summed: summed.clone() }];
            let own = Sum { terms: own, left: Vec::new(), ..sum.clone() };
            let cuts = Cuts::new(&own, &self.tensors, &[])?;
            let tilings: Vec<Tiling> = summed.iter().filter_map(|&label| cuts.finest(label).cloned()).collect();
            let ones = Structure::new(&tilings).with_ragged(cuts.ragged(&summed))?;
            let same = self.ones.iter().find(|&&number| self.tensors.structures[number] == ones).copied();
            let number = same.unwrap_or_else(|| {
                self.ones.push(self.tensors.add(ones, "ones"));
                self.tensors.len() - 1
            });
            factors.push(Factor { operand: number, conjugates: false, labels: summed });
        }
        Ok(Some(factors))
    }

    /// An intermediate that an earlier part of the same term has made: one that is the same in all parts.
    fn made_before(&self, product: &Sum) -> Option<Factor> {
        let same = |draft: &&Draft| self.parts > 1 && draft.product == *product;
        match self.drafts[self.begun..].iter().find(same)?.makes {
            Target::Intermediate(operand) => Some(Factor { operand, conjugates: false, labels: product.left.clone() }),
            Target::Result => None,
        }
    }
}

/// One product as an equation of its own.
fn product(factors: Vec<Factor>, left: Vec<usize>, sum: &Sum, scale: Complex<f64>) -> Sum {
    let all: Vec<usize> = factors.iter().flat_map(|factor| factor.labels.iter().copied()).collect();
    let summed = unique(&all, &|label| !left.contains(&label));
    let within = sum.within.clone().filter(|within| all.contains(&within.label));
    Sum { terms: vec![Term { scale, factors, summed }], left, names: sum.names.clone(), within }
}

/// The labels that are wanted, each once.
fn unique(labels: &[usize], is_wanted: &dyn Fn(usize) -> bool) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    for &label in labels {
        if is_wanted(label) && !found.contains(&label) {
            found.push(label);
        }
    }
    found
}
