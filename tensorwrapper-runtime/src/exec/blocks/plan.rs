//! A plan for an equation over block tensors: its products in pairs, in an order, each into an intermediate or into the result.
//!
//! All structures are inferred here; nothing is computed.

use std::collections::{BTreeMap, BTreeSet};

use tensorwrapper_core::backend::Device;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::shape::Tiling;
use tensorwrapper_core::structure::Structure;
use tensorwrapper_core::symmetry::Sign;

use super::cuts::{Cuts, Parts};
use super::definition;
use super::equal::ProductComparison;
use super::flow::{self, Flowing};
use super::infer::{self, Said};
use super::order::Chosen;
use super::packed::{Mirror, axis_pairs};
use super::pair::{Pair, PairRequest, Reads};
use super::permuted::{Permuted, suggested};
use super::tensors::Tensors;
use super::terms::Sum;
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
    /// The most parts in which a term is computed.
    pub(super) parts: usize,
    /// The sum of products as it is written.
    pub(super) written: Sum,
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
        if run.is_definition() {
            return run.step(|_| definition::products(&self.written, &self.structures, given, (&self.result, result)));
        }
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
    pub(super) chosen: &'p Chosen,
    /// The most parts in which a term may be computed.
    pub(super) parts: usize,
    is_complex: bool,
    pub(super) tensors: Tensors,
    /// How many tensors there are before the first step.
    given: usize,
    pub(super) ones: Vec<usize>,
    pub(super) drafts: Vec<Draft>,
    /// How many drafts there are before those of the term that is planned.
    pub(super) begun: usize,
}

/// A step before it is known which blocks of what it makes are read.
pub(super) struct Draft {
    pub(super) product: Sum,
    pub(super) makes: Target,
    /// What it makes.
    pub(super) structure: Structure,
    /// Whether this lacks blocks that the step could write.
    pub(super) is_part: bool,
    /// What the step reads if it writes all blocks that it could, where a factor is made on the way: of others nobody asks.
    pub(super) reads: Option<Reads>,
}

impl<'p> Planner<'p> {
    /// A planner for products of these tensors, in the order that was chosen, each term in at most so many parts.
    pub(super) fn new<T: Element>(device: &'p dyn Device, (chosen, parts): (&'p Chosen, usize), tensors: Tensors) -> Planner<'p> {
        let (given, is_complex) = (tensors.structures.len(), T::DTYPE.is_complex());
        Planner { device, chosen, parts, is_complex, tensors, given, ones: Vec::new(), drafts: Vec::new(), begun: 0 }
    }

    /// Plans an equation, of whose result this is said.
    ///
    /// # Errors
    /// What does not fit, and a lack of memory.
    pub(super) fn plan<T: Element>(mut self, sum: &Sum, said: Said<'_>) -> Result<Plan, Error> {
        let cuts = Cuts::new(sum, &self.tensors, said.cuts)?;
        self.check_labels(sum)?;
        let terms = self.compare(sum, |comparison| infer::without_equal(sum.terms.clone(), comparison));
        let (written, sum) = (sum.clone(), Sum { terms, ..sum.clone() });
        // Zero has every symmetry.
        let said = if sum.terms.is_empty() { Said { claims: &[], ..said } } else { said };
        let frame = self.frame(&sum, &cuts, flow::flow(&sum, &self.tensors)?, said)?;
        let tilings = frame.tilings().to_vec();
        // Products into the result, each with the number of drafts before it: a term is added up before the next one is begun.
        let (mut last, mut parts) = (Vec::new(), 1);
        for term in &sum.terms {
            self.begun = self.drafts.len();
            let ranges = self.ranges::<T>(term, &sum)?;
            parts = parts.max(ranges.len());
            for within in ranges {
                let product = self.up_to_last::<T>(term, &Sum { within, ..sum.clone() })?;
                last.extend(product.map(|product| (self.drafts.len(), product)));
            }
        }
        let mut blocks: BTreeSet<Parts> = BTreeSet::new();
        let mut reads = Vec::with_capacity(last.len());
        for (_, product) in &last {
            let asks = self.has_made(product);
            let (written, read) = self.request(product, &tilings, |request| request.blocks::<T>(&frame, asks))?;
            blocks.extend(written);
            reads.push(read);
        }
        let result = frame.with_blocks(&blocks)?;
        for ((place, product), reads) in last.into_iter().zip(reads).rev() {
            let draft = Draft { product, makes: Target::Result, structure: result.clone(), is_part: false, reads };
            self.drafts.insert(place, draft);
        }
        self.keep_what_is_read::<T>()?;
        let steps = self.steps::<T>()?;
        Ok(Plan { steps, structures: self.tensors.structures, ones: self.ones, result, parts, written })
    }

    /// Whether a factor of a product is made on the way.
    pub(super) fn has_made(&self, product: &Sum) -> bool {
        product.terms.iter().flat_map(|term| &term.factors).any(|factor| factor.operand >= self.given)
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
                // What is made on the way still has the blocks that it was drafted with: it is made before, so that its turn is later.
                let blocks = match &draft.reads {
                    Some(reads) if !is_part => reads.clone(),
                    _ => {
                        self.request(&draft.product, structure.tilings(), |request| request.reads::<T>((&structure, is_part)))?
                    }
                };
                factors.into_iter().zip(blocks).for_each(|(number, blocks)| read.entry(number).or_default().extend(blocks));
            }
            (self.drafts[n].structure, self.drafts[n].is_part) = (structure, is_part);
        }
        Ok(())
    }

    /// Prepares all steps that compute anything.
    fn steps<T: Element>(&self) -> Result<Vec<Step>, Error> {
        let mut steps = Vec::new();
        for Draft { product, makes, structure, is_part, .. } in &self.drafts {
            let prepare = |request: &PairRequest<'_>| request.prepare::<T>(self.device, (structure, *is_part));
            let pair = self.request(product, structure.tilings(), prepare)?;
            if pair.tuples == 0 {
                continue;
            }
            let fills = pair.written >= structure.stored()?.filled();
            let factors = [0, 1].map(|n| product.terms[0].factors[n].operand);
            let is_sum = factors.iter().any(|factor| self.ones.contains(factor));
            let named = |labels: &[usize]| labels.iter().map(|&label| product.named(label)).collect::<Vec<_>>();
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
    pub(super) fn frame(&self, sum: &Sum, cuts: &Cuts, flow: Option<Flowing>, said: Said<'_>) -> Result<Structure, Error> {
        let mut cuts = cuts.clone();
        self.compare(sum, |comparison| {
            let sign_of = |axes: &[usize], conjugates| infer::sign_of_sum(sum, axes, conjugates, comparison);
            let suggested = suggested(&sum.terms, &sum.left, comparison.symmetries);
            let permuted = Permuted { is_complex: self.is_complex, sign_of: &sign_of, suggested };
            infer::align(&sum.left, &mut cuts, said, &permuted);
            infer::frame(&sum.left, &cuts, (flow, said), &permuted)
        })
    }

    pub(super) fn compare<R>(&self, sum: &Sum, with: impl FnOnce(&ProductComparison<'_>) -> R) -> R {
        let (labels, fixed) = (sum.names.len(), sum.within.as_ref().map(|within| within.label));
        with(&ProductComparison { symmetries: &self.tensors.symmetries(), is_complex: self.is_complex, labels, fixed })
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

    /// Calls back with what a product of two factors, whose result is cut so, is prepared from.
    pub(super) fn request<R>(
        &self,
        product: &Sum,
        tilings: &[Tiling],
        with: impl FnOnce(&PairRequest<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let aim: Vec<_> = tilings.iter().map(|tiling| Some(("the result".to_string(), tiling.clone()))).collect();
        let cuts = Cuts::new(product, &self.tensors, &aim)?;
        let term = &product.terms[0];
        let mut exchanges = Vec::new();
        self.compare(product, |comparison| {
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
        let spares_memory = self.chosen.memory.is_some();
        with(&PairRequest { cuts: &cuts, factors, left: &product.left, scale: term.scale, exchanges, spares_memory })
    }
}
