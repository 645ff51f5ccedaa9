//! A plan for an equation over block tensors: its products in pairs, in an order, each into an intermediate or into the result.
//!
//! All structures are inferred here; nothing is computed.

use std::collections::BTreeSet;

use num_complex::Complex;
use tensorwrapper_core::backend::Device;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::shape::Tiling;
use tensorwrapper_core::structure::Structure;
use tensorwrapper_core::symmetry::{Sign, Symmetry};
use tensorwrapper_order::{Search, find};

use super::cuts::Cuts;
use super::equal::Comparison;
use super::infer;
use super::join::Parts;
use super::pair::{Pair, PairRequest};
use super::terms::{Factor, Sum, Term};

/// A plan.
pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
    /// The structures of the operands, then of what steps make on the way.
    pub(super) structures: Vec<Structure>,
    pub(super) operands: usize,
    /// The numbers of tensors of ones, which are made before the first step.
    pub(super) ones: Vec<usize>,
    pub(super) result: Structure,
}

/// One product of two tensors, by their numbers.
pub(super) struct Step {
    pub(super) pair: Pair,
    pub(super) factors: [usize; 2],
    pub(super) makes: Target,
}

/// What a step makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// The tensor of that number, which later steps read.
    Intermediate(usize),
    /// The result, or one of its terms.
    Result,
}

/// A plan in the making.
pub(super) struct Planner<'p> {
    device: &'p dyn Device,
    is_complex: bool,
    structures: Vec<Structure>,
    names: Vec<String>,
    ones: Vec<usize>,
    steps: Vec<Step>,
}

impl<'p> Planner<'p> {
    /// A planner for operands of these structures, which are called so.
    pub(super) fn new<T: Element>(device: &'p dyn Device, structures: Vec<Structure>, names: Vec<String>) -> Planner<'p> {
        Planner { device, is_complex: T::DTYPE.is_complex(), structures, names, ones: Vec::new(), steps: Vec::new() }
    }

    /// Plans an equation.
    ///
    /// # Errors
    /// What does not fit, and a lack of memory.
    pub(super) fn plan<T: Element>(mut self, sum: &Sum) -> Result<Plan, Error> {
        let operands = self.structures.len();
        let cuts = Cuts::new(sum, &self.structures, &self.names, None)?;
        let terms = sum.terms.iter().map(|term| self.with_extents(term, sum, &cuts)).collect::<Result<Vec<_>, _>>()?;
        let terms = self.compare(sum.names.len(), |comparison| infer::without_equal(terms, comparison));
        let sum = Sum { terms, ..sum.clone() };
        let flow = infer::flow(&sum, &self.structures, &self.names)?;
        let symmetry = self.compare(sum.names.len(), |comparison| infer::symmetry(&sum, &cuts, flow.as_ref(), comparison))?;
        let tilings: Vec<Tiling> = sum.left.iter().map(|&label| cuts.result(label).clone()).collect();
        let frame = Structure::new(&tilings).with(symmetry)?;
        let frame = match flow {
            // No signs to be told where a result has no axes: only a total charge of zero lets it be another number.
            Some((signs, _)) if signs.is_empty() => frame,
            Some((signs, total)) => frame.flow(signs, total)?,
            None => frame,
        };
        let mut last = Vec::new();
        for term in &sum.terms {
            last.extend(self.up_to_last::<T>(term, &sum)?);
        }
        let mut blocks: BTreeSet<Parts> = BTreeSet::new();
        for product in &last {
            blocks.extend(self.request(product, &tilings, |request| request.blocks::<T>(&frame))?);
        }
        let result = frame.with_blocks(&blocks)?;
        for product in &last {
            let finish = |_| Ok(result.clone());
            let (pair, _) = self.request(product, &tilings, |request| request.prepare::<T>(self.device, &frame, finish))?;
            self.steps.push(Step { pair, factors: operands_of(product), makes: Target::Result });
        }
        Ok(Plan { steps: self.steps, structures: self.structures, operands, ones: self.ones, result })
    }

    fn compare<R>(&self, labels: usize, with: impl FnOnce(&Comparison<'_>) -> R) -> R {
        let symmetries: Vec<&Symmetry> = self.structures.iter().map(Structure::symmetry).collect();
        with(&Comparison { symmetries: &symmetries, is_complex: self.is_complex, labels })
    }

    /// The same term, in which sums over labels that no factor has are numbers.
    fn with_extents(&self, term: &Term, sum: &Sum, cuts: &Cuts) -> Result<Term, Error> {
        let mut term = term.clone();
        if term.factors.is_empty() {
            let message = "a term without tensors in an equation of block tensors".to_string();
            return Err(Error::new(ErrorKind::Unsupported(message)));
        }
        let is_used = |label: &usize| term.factors.iter().any(|factor| factor.labels.contains(label));
        let (used, unused): (Vec<usize>, Vec<usize>) = term.summed.iter().partition(|label| is_used(label));
        if let Some(label) = sum.left.iter().find(|label| !is_used(label)) {
            let message = format!("index `{}` is on the left, but not in every term", sum.names[*label]);
            return Err(Error::new(ErrorKind::Label(message)));
        }
        for label in unused {
            let tiling = cuts.finest(label).ok_or_else(|| {
                Error::new(ErrorKind::Label(format!("index `{}` is summed, but no operand has it", sum.names[label])))
            })?;
            term.scale *= tiling.extent() as f64;
        }
        term.summed = used;
        Ok(term)
    }

    /// Plans all products of a term but the last one, which is returned. Nothing where the term is zero.
    fn up_to_last<T: Element>(&mut self, term: &Term, sum: &Sum) -> Result<Option<Sum>, Error> {
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
        let mut extents = vec![1; sum.names.len()];
        for factor in factors {
            let tilings = self.structures[factor.operand].tilings();
            factor.labels.iter().zip(tilings).for_each(|(&label, tiling)| extents[label] = tiling.extent());
        }
        let inputs: Vec<Vec<usize>> = factors.iter().map(|factor| factor.labels.clone()).collect();
        Ok(find(&inputs, &sum.left, &extents, &Search::new())?.linear())
    }

    /// A product of one or two factors into a tensor of its own. Nothing where it is zero.
    fn step<T: Element>(&mut self, factors: Vec<Factor>, left: Vec<usize>, sum: &Sum) -> Result<Option<Factor>, Error> {
        let Some(factors) = self.two::<T>(factors, &left, sum)? else { return Ok(None) };
        let product = product(factors, left.clone(), sum, Complex::ONE);
        let cuts = Cuts::new(&product, &self.structures, &self.names, None)?;
        let labels = sum.names.len();
        let terms = self.compare(labels, |comparison| infer::without_equal(product.terms.clone(), comparison));
        if terms.is_empty() {
            return Ok(None);
        }
        let symmetry = self.compare(labels, |comparison| infer::symmetry(&product, &cuts, None, comparison))?;
        let tilings: Vec<Tiling> = left.iter().map(|&label| cuts.result(label).clone()).collect();
        let frame = Structure::new(&tilings).with(symmetry)?;
        let finish = |blocks| frame.with_blocks(&blocks);
        let (pair, structure) = self.request(&product, &tilings, |request| request.prepare::<T>(self.device, &frame, finish))?;
        let number = self.add(structure, "an intermediate");
        self.steps.push(Step { pair, factors: operands_of(&product), makes: Target::Intermediate(number) });
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
            let own = Sum { terms: own, left: Vec::new(), names: sum.names.clone() };
            let cuts = Cuts::new(&own, &self.structures, &self.names, None)?;
            let tilings: Vec<Tiling> = summed.iter().filter_map(|&label| cuts.finest(label).cloned()).collect();
            let number = self.add(Structure::new(&tilings), "ones");
            self.ones.push(number);
            factors.push(Factor { operand: number, conjugates: false, labels: summed });
        }
        Ok(Some(factors))
    }

    fn add(&mut self, structure: Structure, name: &str) -> usize {
        self.structures.push(structure);
        self.names.push(name.to_string());
        self.structures.len() - 1
    }

    /// Calls back with what a product of two factors, whose result is cut so, is prepared from.
    fn request<R>(
        &self,
        product: &Sum,
        tilings: &[Tiling],
        with: impl FnOnce(&PairRequest<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let cuts = Cuts::new(product, &self.structures, &self.names, Some(tilings))?;
        let term = &product.terms[0];
        let mut exchanges = Vec::new();
        self.compare(product.names.len(), |comparison| {
            let is_complete = comparison.each(term, term, &mut |sign, pairing| {
                let alike = |label: &usize| pairing[*label].is_some_and(|partner| cuts.are_alike(*label, partner));
                let moves = term.summed.iter().any(|&label| pairing[label] != Some(label));
                if sign == Sign::Plus && moves && term.summed.iter().all(alike) && !exchanges.contains(pairing) {
                    exchanges.push(pairing.clone());
                }
                false
            });
            // Some of a group's elements do not tell which terms are equal.
            if !is_complete {
                exchanges.clear();
            }
        });
        let factors = [0, 1].map(|n| (&term.factors[n], &self.structures[term.factors[n].operand]));
        with(&PairRequest { cuts: &cuts, factors, left: &product.left, scale: term.scale, exchanges })
    }
}

/// One product as an equation of its own.
fn product(factors: Vec<Factor>, left: Vec<usize>, sum: &Sum, scale: Complex<f64>) -> Sum {
    let all: Vec<usize> = factors.iter().flat_map(|factor| factor.labels.iter().copied()).collect();
    let summed = unique(&all, &|label| !left.contains(&label));
    Sum { terms: vec![Term { scale, factors, summed }], left, names: sum.names.clone() }
}

/// The numbers of the two factors of a product.
fn operands_of(product: &Sum) -> [usize; 2] {
    [0, 1].map(|n| product.terms[0].factors[n].operand)
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
