//! A plan for an equation over block tensors: its products in pairs, in an order, each into an intermediate or into the result.
//!
//! All structures are inferred here; nothing is computed.

use std::collections::{BTreeMap, BTreeSet};

use num_complex::Complex;
use tensorwrapper_core::backend::Device;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::shape::Tiling;
use tensorwrapper_core::structure::Structure;
use tensorwrapper_core::symmetry::Sign;

use super::cuts::Cuts;
use super::equal::ProductComparison;
use super::flow::{self, Flowing};
use super::infer::{self, Said};
use super::join::Parts;
use super::order::{self, Chosen, SparseNetwork};
use super::packed::{Mirror, axis_pairs};
use super::pair::{Pair, PairRequest};
use super::tensors::Tensors;
use super::terms::{Factor, Sum, Term};
use super::watched::WatchedRun;
use crate::tensor::Blocks;

/// A plan.
pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
    /// The structures of the operands, then of what steps make on the way.
    pub(super) structures: Vec<Structure>,
    /// The numbers of tensors of ones, which are made before the first step.
    pub(super) ones: Vec<usize>,
    pub(super) result: Structure,
}

impl Plan {
    /// The numbers of all tensors that steps read.
    pub(super) fn reads(&self) -> impl Iterator<Item = usize> + '_ {
        self.steps.iter().flat_map(|step| step.factors)
    }

    /// Computes the result; `given` has the elements of each operand that is read.
    ///
    /// # Errors
    /// Memory, and the end of a run that is cancelled.
    pub(super) fn run<T: Element>(&self, run: &mut WatchedRun<'_>, given: &[&[T]], result: &mut [T]) -> Result<(), Error> {
        let mut made: Vec<Option<Blocks<T>>> = vec![None; self.structures.len()];
        for &number in &self.ones {
            made[number] = Some(Blocks::from_fn(&self.structures[number], |_| T::ONE)?);
        }
        let mut is_written = false;
        for step in &self.steps {
            let mut target = match step.makes {
                Target::Intermediate(number) => Some(Blocks::for_results(&self.structures[number])?),
                Target::Result => None,
            };
            let adds = target.is_none() && std::mem::replace(&mut is_written, true);
            let out = target.as_mut().map_or(&mut *result, Blocks::slab_mut);
            // What no product writes is zero.
            if !adds && !step.fills {
                out.fill(T::ZERO);
            }
            let slab = |number: usize| match given.get(number) {
                Some(operand) => *operand,
                None => made[number].as_ref().expect("steps read what earlier ones have made").slab(),
            };
            run.step(|device| step.pair.run(device, step.factors.map(slab), out, adds))?;
            step.mirrors.iter().for_each(|mirror| mirror.run(out));
            if let (Target::Intermediate(number), Some(target)) = (step.makes, target) {
                made[number] = Some(target);
            }
            step.releases.iter().for_each(|&number| made[number] = None);
        }
        if !is_written {
            result.fill(T::ZERO);
        }
        Ok(())
    }
}

/// One product of two tensors, by their numbers.
pub(super) struct Step {
    pub(super) pair: Pair,
    pub(super) factors: [usize; 2],
    /// What the program calls the axes of each, and whether its conjugate is read.
    pub(super) read: [(Vec<String>, bool); 2],
    pub(super) makes: Target,
    /// What the program calls the axes of what it makes.
    pub(super) labels: Vec<String>,
    /// The numbers of tensors that were made on the way and that no later step reads.
    pub(super) releases: Vec<usize>,
    /// Whether it writes every element of what it makes.
    fills: bool,
    /// Whether it is a sum over labels of one tensor alone, which is multiplied by ones.
    pub(super) is_sum: bool,
    /// Where pairs of axes have one order of their indices, when it is the last step that writes them.
    mirrors: Vec<Mirror>,
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
    chosen: &'p Chosen,
    is_complex: bool,
    tensors: Tensors,
    /// How many tensors there are before the first step.
    given: usize,
    ones: Vec<usize>,
    drafts: Vec<Draft>,
}

/// A step before it is known which blocks of what it makes are read.
struct Draft {
    product: Sum,
    makes: Target,
    /// What it makes.
    structure: Structure,
    /// Whether this lacks blocks that the step could write.
    is_part: bool,
}

impl<'p> Planner<'p> {
    /// A planner for products of these tensors, in the order that was chosen.
    pub(super) fn new<T: Element>(device: &'p dyn Device, chosen: &'p Chosen, tensors: Tensors) -> Planner<'p> {
        let given = tensors.structures.len();
        Planner { device, chosen, is_complex: T::DTYPE.is_complex(), tensors, given, ones: Vec::new(), drafts: Vec::new() }
    }

    /// Plans an equation, of whose result this is said.
    ///
    /// # Errors
    /// What does not fit, and a lack of memory.
    pub(super) fn plan<T: Element>(mut self, sum: &Sum, said: Said<'_>) -> Result<Plan, Error> {
        let cuts = Cuts::new(sum, &self.tensors, said.cuts)?;
        self.check_labels(sum)?;
        let terms = self.compare(sum.names.len(), |comparison| infer::without_equal(sum.terms.clone(), comparison));
        let sum = Sum { terms, ..sum.clone() };
        // Zero has every symmetry.
        let said = if sum.terms.is_empty() { Said { claims: &[], ..said } } else { said };
        let frame = self.frame(&sum, &cuts, flow::flow(&sum, &self.tensors)?, said)?;
        let tilings = frame.tilings().to_vec();
        let mut last = Vec::new();
        for term in &sum.terms {
            last.extend(self.up_to_last::<T>(term, &sum)?);
        }
        let mut blocks: BTreeSet<Parts> = BTreeSet::new();
        for product in &last {
            blocks.extend(self.request(product, &tilings, |request| request.blocks::<T>(&frame))?);
        }
        let result = frame.with_blocks(&blocks)?;
        let draft = |product| Draft { product, makes: Target::Result, structure: result.clone(), is_part: false };
        self.drafts.extend(last.into_iter().map(draft));
        self.keep_what_is_read::<T>()?;
        let steps = self.steps::<T>()?;
        Ok(Plan { steps, structures: self.tensors.structures, ones: self.ones, result })
    }

    /// Leaves out blocks of intermediates that no later step reads.
    fn keep_what_is_read<T: Element>(&mut self) -> Result<(), Error> {
        let mut read: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for n in (0..self.drafts.len()).rev() {
            let draft = &self.drafts[n];
            let (mut structure, mut is_part) = (draft.structure.clone(), false);
            if let Target::Intermediate(number) = draft.makes {
                let stored = structure.stored()?;
                let wanted = read.remove(&number).unwrap_or_default();
                is_part = wanted.len() < stored.len();
                if is_part {
                    structure = structure.with_blocks(wanted.into_iter().map(|block| stored.block(block)))?;
                }
                self.tensors.structures[number] = structure.clone();
            }
            let factors = [0, 1].map(|side| draft.product.terms[0].factors[side].operand);
            let is_made = |number: usize| self.drafts[..n].iter().any(|draft| draft.makes == Target::Intermediate(number));
            if factors.into_iter().any(is_made) {
                let reads = |request: &PairRequest<'_>| request.reads::<T>((&structure, is_part));
                let blocks = self.request(&draft.product, structure.tilings(), reads)?;
                factors.into_iter().zip(blocks).for_each(|(number, blocks)| read.entry(number).or_default().extend(blocks));
            }
            (self.drafts[n].structure, self.drafts[n].is_part) = (structure, is_part);
        }
        Ok(())
    }

    /// Prepares all steps that compute anything.
    fn steps<T: Element>(&self) -> Result<Vec<Step>, Error> {
        let mut steps = Vec::new();
        for Draft { product, makes, structure, is_part } in &self.drafts {
            let prepare = |request: &PairRequest<'_>| request.prepare::<T>(self.device, (structure, *is_part));
            let pair = self.request(product, structure.tilings(), prepare)?;
            if pair.tuples == 0 {
                continue;
            }
            let fills = pair.written >= structure.stored()?.filled();
            let factors = [0, 1].map(|n| product.terms[0].factors[n].operand);
            let is_sum = factors.iter().any(|factor| self.ones.contains(factor));
            let named = |labels: &[usize]| labels.iter().map(|&label| product.names[label].clone()).collect::<Vec<_>>();
            let read = [0, 1].map(|n| &product.terms[0].factors[n]).map(|factor| (named(&factor.labels), factor.conjugates));
            let (labels, releases, mirrors) = (named(&product.left), Vec::new(), Vec::new());
            steps.push(Step { pair, factors, read, makes: *makes, labels, releases, fills, is_sum, mirrors });
        }
        self.mirror(&mut steps)?;
        self.release(&mut steps);
        Ok(steps)
    }

    /// Notes after which step each tensor that is made on the way is not read any more.
    fn release(&self, steps: &mut [Step]) {
        for number in self.given..self.tensors.structures.len() {
            if let Some(last) = steps.iter_mut().rev().find(|step| step.factors.contains(&number)) {
                last.releases.push(number);
            }
        }
    }

    /// Completes what steps have made with packed pairs: after the last one that writes it, as sums have a symmetry that their terms need
    /// not have.
    fn mirror(&self, steps: &mut [Step]) -> Result<(), Error> {
        for n in 0..steps.len() {
            let makes = steps[n].makes;
            if steps[n + 1..].iter().any(|later| later.makes == makes) {
                continue;
            }
            if steps[..n + 1].iter().any(|step| step.makes == makes && step.pair.is_packed) {
                let draft = self.drafts.iter().find(|draft| draft.makes == makes).expect("a step is made of a draft");
                for pair in axis_pairs(draft.structure.symmetry()) {
                    steps[n].mirrors.extend(Mirror::all(&draft.structure, &pair)?);
                }
            }
        }
        Ok(())
    }

    /// The frame of a sum of products that differ.
    fn frame(&self, sum: &Sum, cuts: &Cuts, flow: Option<Flowing>, said: Said<'_>) -> Result<Structure, Error> {
        let mut cuts = cuts.clone();
        self.compare(sum.names.len(), |comparison| {
            let sign_of = |axes: &[usize], conjugates| infer::sign_of_sum(sum, axes, conjugates, comparison);
            infer::align(&sum.left, &mut cuts, said, self.is_complex, &sign_of);
            infer::frame(&sum.left, &cuts, (flow, said), self.is_complex, &sign_of)
        })
    }

    fn compare<R>(&self, labels: usize, with: impl FnOnce(&ProductComparison<'_>) -> R) -> R {
        with(&ProductComparison { symmetries: &self.tensors.symmetries(), is_complex: self.is_complex, labels })
    }

    /// Whether every term has all labels of the left side.
    fn check_labels(&self, sum: &Sum) -> Result<(), Error> {
        for term in &sum.terms {
            if let Some(label) = sum.left.iter().find(|label| !term.has(**label)) {
                let message = format!("index `{}` is on the left, but not in every term", sum.names[*label]);
                return Err(Error::new(ErrorKind::Label(message)));
            }
        }
        Ok(())
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

    /// A product of one or two factors into a tensor of its own. Nothing where it is zero.
    fn step<T: Element>(&mut self, factors: Vec<Factor>, left: Vec<usize>, sum: &Sum) -> Result<Option<Factor>, Error> {
        let Some(factors) = self.two::<T>(factors, &left, sum)? else { return Ok(None) };
        let product = product(factors, left.clone(), sum, Complex::ONE);
        let cuts = Cuts::new(&product, &self.tensors, &[])?;
        let labels = sum.names.len();
        let terms = self.compare(labels, |comparison| infer::without_equal(product.terms.clone(), comparison));
        if terms.is_empty() {
            return Ok(None);
        }
        let frame = self.frame(&product, &cuts, None, Said::default())?;
        let blocks = self.request(&product, frame.tilings(), |request| request.blocks::<T>(&frame))?;
        let structure = frame.with_blocks(&blocks)?;
        let number = self.tensors.add(structure.clone(), "an intermediate");
        self.drafts.push(Draft { product, makes: Target::Intermediate(number), structure, is_part: false });
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
            let cuts = Cuts::new(&own, &self.tensors, &[])?;
            let tilings: Vec<Tiling> = summed.iter().filter_map(|&label| cuts.finest(label).cloned()).collect();
            let ones = Structure::new(&tilings).with_ragged(cuts.ragged(&summed))?;
            let number = self.tensors.add(ones, "ones");
            self.ones.push(number);
            factors.push(Factor { operand: number, conjugates: false, labels: summed });
        }
        Ok(Some(factors))
    }

    /// Calls back with what a product of two factors, whose result is cut so, is prepared from.
    fn request<R>(
        &self,
        product: &Sum,
        tilings: &[Tiling],
        with: impl FnOnce(&PairRequest<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let aim: Vec<_> = tilings.iter().map(|tiling| Some(("the result".to_string(), tiling.clone()))).collect();
        let cuts = Cuts::new(product, &self.tensors, &aim)?;
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
        let factors = [0, 1].map(|n| (&term.factors[n], &self.tensors.structures[term.factors[n].operand]));
        with(&PairRequest { cuts: &cuts, factors, left: &product.left, scale: term.scale, exchanges })
    }
}

/// One product as an equation of its own.
fn product(factors: Vec<Factor>, left: Vec<usize>, sum: &Sum, scale: Complex<f64>) -> Sum {
    let all: Vec<usize> = factors.iter().flat_map(|factor| factor.labels.iter().copied()).collect();
    let summed = unique(&all, &|label| !left.contains(&label));
    Sum { terms: vec![Term { scale, factors, summed }], left, names: sum.names.clone() }
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
