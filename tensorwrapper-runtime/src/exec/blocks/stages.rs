//! An equation as stages: sums of products, each into a tensor of its own, and element-wise work that reads them. `extras` makes what is
//! read beside operands.

mod extras;

use num_complex::Complex;
use tensorwrapper_core::backend::{Device, Reduction};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind, Place};
use tensorwrapper_core::structure::{AxisPart, Structure};
use tensorwrapper_notation::syntax::Operator;

use super::cuts::Cuts;
use super::elements::Elements;
use super::fold::Fold;
use super::infer::Said;
use super::layers;
use super::order::Chosen;
use super::plan::{Plan, Planner};
use super::reader::Written;
use super::tensors::Tensors;
use super::terms::{Factor, Sum, Term, expand};
use super::tree::{Tree, unsupported};
use super::watched::WatchedRun;
use crate::tensor::{fill_part, untie};

/// What makes one tensor.
pub(super) enum Stage {
    /// A copy of a part of an operand.
    Part(Part),
    /// The values of an index: a vector of this structure.
    Iota(Structure),
    Products(Plan),
    Elements(Elements),
    /// A product, maximum or minimum over axes.
    Fold(Fold),
    /// An operand with tied axes, with its zeros.
    Untied {
        operand: usize,
        from: Structure,
        result: Structure,
    },
}

/// A part of an operand that an equation reads.
pub(super) struct Part {
    /// The number of the operand, and its structure.
    pub(super) of: (usize, Structure),
    axes: Vec<AxisPart>,
    result: Structure,
}

impl Stage {
    /// The structure of what it makes.
    pub(super) fn result(&self) -> &Structure {
        match self {
            Stage::Part(part) => &part.result,
            Stage::Iota(result) => result,
            Stage::Products(plan) => &plan.result,
            Stage::Elements(elements) => &elements.result,
            Stage::Fold(fold) => &fold.result,
            Stage::Untied { result, .. } => result,
        }
    }

    /// Whether it runs in loops of the host, whatever the device is.
    pub(super) fn is_of_host(&self) -> bool {
        match self {
            Stage::Part(_) | Stage::Iota(_) | Stage::Fold(_) | Stage::Untied { .. } => true,
            Stage::Products(_) | Stage::Elements(_) => false,
        }
    }

    /// Gives what it makes another structure, of the same blocks.
    fn set_result(&mut self, structure: Structure) {
        match self {
            Stage::Part(part) => part.result = structure,
            Stage::Iota(result) => *result = structure,
            Stage::Products(plan) => plan.result = structure,
            Stage::Elements(elements) => elements.result = structure,
            Stage::Fold(fold) => fold.result = structure,
            Stage::Untied { result, .. } => *result = structure,
        }
    }

    /// The numbers of the tensors that it reads; of products also of those that they make on the way. On the
    /// reference device it reads all that the equation names, needed or not.
    pub(super) fn reads(&self, is_definition: bool) -> Vec<usize> {
        match self {
            Stage::Part(part) => vec![part.of.0],
            Stage::Iota(_) => Vec::new(),
            Stage::Products(plan) if is_definition => {
                plan.written.terms.iter().flat_map(|term| &term.factors).map(|factor| factor.operand).collect()
            }
            Stage::Products(plan) => plan.reads().collect(),
            Stage::Elements(elements) if is_definition => elements.defined.reads(),
            Stage::Elements(elements) => elements.reads().collect(),
            Stage::Fold(fold) => vec![fold.operand],
            Stage::Untied { operand, .. } => vec![*operand],
        }
    }

    /// Computes it from the elements of the tensors that it may read.
    ///
    /// # Errors
    /// Memory, those of the device, and the end of a run that is cancelled.
    pub(super) fn run<T: Element>(&self, run: &mut WatchedRun<'_>, slabs: &[&[T]], out: &mut [T]) -> Result<(), Error> {
        match self {
            Stage::Part(Part { of: (operand, whole), axes, result }) => {
                run.step(|_| fill_part((whole, slabs[*operand]), axes, (result, out)))
            }
            Stage::Iota(_) => run.step(|_| {
                out.iter_mut().enumerate().for_each(|(index, x)| *x = T::from_complex((index as f64).into()));
                Ok(())
            }),
            Stage::Products(plan) => plan.run(run, slabs, out),
            Stage::Elements(elements) => run.step(|device| elements.run(device, slabs, out)),
            Stage::Fold(fold) => run.step(|_| fold.run(slabs[fold.operand], out)),
            Stage::Untied { operand, from, .. } => run.step(|_| {
                out.fill(T::ZERO);
                untie(from, slabs[*operand], out)
            }),
        }
    }
}

/// The stages of an equation, whose terms may be computed in `parts`, in order, after those `before` it; the last one makes its result. The
/// tensors that they read are its operands, then what the stages before them make.
///
/// # Errors
/// What does not fit, what is not computed over block tensors, and a lack of memory.
pub(super) fn stages<T: Element>(
    (device, chosen, parts): (&dyn Device, &Chosen, usize),
    (tensors, before): (Tensors, Vec<Stage>),
    written: &Written,
) -> Result<Vec<Stage>, Error> {
    let mut staging = Staging {
        device,
        chosen: (chosen, parts),
        tensors,
        names: &written.names,
        stages: before,
        extents: Vec::new(),
        is_ragged: Vec::new(),
        parts: Vec::new(),
    };
    let written = &*staging.read_extras(written)?;
    let cuts = staging.cuts(written)?;
    let declared = |label: usize| written.declared.get(label).copied().flatten();
    let known = |label: usize| declared(label).or_else(|| written.tied.get(&label).copied());
    let extent = |label: usize| cuts.finest(label).map(|tiling| tiling.extent()).or_else(|| known(label));
    staging.extents = (0..written.names.len()).map(extent).collect();
    staging.is_ragged = (0..written.names.len()).map(|label| cuts.ragged_by(label).is_some()).collect();
    layers::check_addends(written, &staging.tensors)?;
    staging.check_declared(written)?;
    staging.stage::<T>(
        &written.tree,
        &written.left,
        Said { cuts: &written.target, claims: &written.claims, is_tied: written.is_tied },
    )?;
    if let Some(last) = staging.stages.last_mut() {
        let keeps = |axis: usize| {
            written.target[axis].is_some() || declared(written.left[axis]).is_some() || !cuts.varies(written.left[axis])
        };
        let mut result = last.result().trimmed(&keeps)?;
        if !written.layers.is_empty() {
            result = result.nested(&*written.layers)?;
        }
        last.set_result(result);
    }
    Ok(staging.stages)
}

struct Staging<'s> {
    device: &'s dyn Device,
    /// What was chosen of the order, and the most parts in which a term may be computed.
    chosen: (&'s Chosen, usize),
    tensors: Tensors,
    names: &'s [String],
    stages: Vec<Stage>,
    /// The extent of each label that an operand has.
    extents: Vec<Option<usize>>,
    /// Whether a label runs with ragged axes.
    is_ragged: Vec<bool>,
    /// Parts that were made, with their labels numbered, and the numbers of the tensors.
    parts: Vec<(Tree, usize)>,
}

impl Staging<'_> {
    /// The cuts of all labels. Operands that do not fit are found here, whichever stage reads them.
    fn cuts(&self, written: &Written) -> Result<Cuts, Error> {
        let factors = written.tree.factors().into_iter().cloned().collect();
        let all = Term { scale: Complex::ONE, factors, summed: Vec::new() };
        let sum = Sum { terms: vec![all], left: Vec::new(), names: self.names.to_vec(), within: None };
        Cuts::new(&sum, &self.tensors, &[])
    }

    /// Whether labels have the extents that a `where` gives them.
    fn check_declared(&self, written: &Written) -> Result<(), Error> {
        for (label, (declared, known)) in written.declared.iter().zip(&self.extents).enumerate() {
            let (Some(declared), Some(known)) = (declared, known) else { continue };
            if declared != known {
                let named = |factor: &&Factor| factor.labels.contains(&label);
                let factor = written.tree.factors().into_iter().find(named);
                let place = factor.map(|factor| (factor.operand, factor.labels.iter().position(|own| *own == label)));
                let (operand, axis) = place.map_or((0, 0), |(operand, axis)| (operand, axis.unwrap_or_default()));
                return Err(Error::new(ErrorKind::Extent {
                    label: self.names[label].clone(),
                    first: Place { operand: self.tensors.names[operand].clone(), axis, extent: *known },
                    second: Place { operand: "where".to_string(), axis: 0, extent: *declared },
                }));
            }
        }
        Ok(())
    }

    /// Adds the stages that make a tensor with these labels of an expression.
    fn stage<T: Element>(&mut self, tree: &Tree, left: &[usize], said: Said<'_>) -> Result<Factor, Error> {
        if tree.is_sum_of_products() && (tree.has_sum() || !tree.multiplies_sums()) {
            let terms = expand(tree, &mut |part| self.part::<T>(part))?;
            let is_complete = |term: &Term| !term.factors.is_empty() && left.iter().all(|&label| term.has(label));
            if terms.iter().all(is_complete) {
                return self.products::<T>(terms, left.to_vec(), said);
            }
        }
        let tree = self.without_sums::<T>(tree)?;
        self.elements::<T>(&tree, left, said)
    }

    /// Adds a stage of element-wise work.
    fn elements<T: Element>(&mut self, tree: &Tree, left: &[usize], said: Said<'_>) -> Result<Factor, Error> {
        let elements = Elements::new(tree, (left, said), self.names, &self.tensors, T::DTYPE)?;
        Ok(self.made(Stage::Elements(elements), left.to_vec()))
    }

    /// Adds the stages that make a part of an expression, unless the same part was made before, whatever its labels are called.
    fn part<T: Element>(&mut self, part: &Tree) -> Result<Factor, Error> {
        let labels = part.free();
        let place = |label: usize| labels.iter().position(|own| *own == label).unwrap_or(label + labels.len());
        let rename =
            |factor: &Factor| Factor { labels: factor.labels.iter().map(|&label| place(label)).collect(), ..factor.clone() };
        let canonical = part.map(&rename, &|value| value);
        if let Some((_, operand)) = self.parts.iter().find(|(known, _)| *known == canonical) {
            return Ok(Factor { operand: *operand, conjugates: false, labels });
        }
        let made = match part.has_sum() {
            true => self.stage::<T>(part, &labels, Said::default())?,
            false => self.elements::<T>(part, &labels, Said::default())?,
        };
        self.parts.push((canonical, made.operand));
        Ok(made)
    }

    /// Adds a stage of products.
    fn products<T: Element>(&mut self, mut terms: Vec<Term>, left: Vec<usize>, said: Said<'_>) -> Result<Factor, Error> {
        for term in &mut terms {
            // A sum over a label that no factor has counts its indices.
            let (used, unused): (Vec<usize>, Vec<usize>) = term.summed.iter().partition(|label| term.has(**label));
            term.scale *= self.count(&unused)?;
            term.summed = used;
        }
        let sum = Sum { terms, left: left.clone(), names: self.names.to_vec(), within: None };
        let plan = Planner::new::<T>(self.device, self.chosen, self.tensors.clone()).plan::<T>(&sum, said)?;
        Ok(self.made(Stage::Products(plan), left))
    }

    /// How many indices labels have together that a term is summed over and does not have.
    ///
    /// # Errors
    /// One that has other indices in each row.
    fn count(&self, labels: &[usize]) -> Result<f64, Error> {
        if let Some(&label) = labels.iter().find(|&&label| self.is_ragged[label]) {
            let message = format!("a sum over the ragged index `{}` of a term that does not have it", self.names[label]);
            return Err(unsupported(&message));
        }
        Ok(labels.iter().map(|&label| self.extents[label].unwrap_or_default() as f64).product())
    }

    fn made(&mut self, stage: Stage, labels: Vec<usize>) -> Factor {
        let operand = self.tensors.add(stage.result().clone(), "an intermediate");
        self.stages.push(stage);
        Factor { operand, conjugates: false, labels }
    }

    /// The same expression of tensors that earlier stages make of its sums over labels.
    fn without_sums<T: Element>(&mut self, tree: &Tree) -> Result<Tree, Error> {
        if !tree.has_sum() {
            return Ok(tree.clone());
        }
        if tree.is_sum_of_products() || matches!(tree, Tree::Sum(..)) {
            let terms = expand(tree, &mut |part| self.part::<T>(part))?;
            return self.sum_of::<T>(terms);
        }
        let inner = |staging: &mut Self, inner: &Tree| staging.without_sums::<T>(inner).map(Box::new);
        Ok(match tree {
            Tree::Factor(_) | Tree::Number(_) | Tree::Sum(..) => unreachable!("sums are made above"),
            Tree::Fold(reduction, labels, of) => Tree::Factor(self.fold::<T>(*reduction, labels, of)?),
            Tree::Negate(of) => Tree::Negate(inner(self, of)?),
            Tree::Binary(operator, left, right) => Tree::Binary(*operator, inner(self, left)?, inner(self, right)?),
            Tree::Apply(function, of) => Tree::Apply(*function, inner(self, of)?),
            Tree::PowerInteger(of, exponent) => Tree::PowerInteger(inner(self, of)?, *exponent),
            Tree::PowerReal(of, exponent) => Tree::PowerReal(inner(self, of)?, *exponent),
            Tree::Select(condition, values) => {
                let condition = condition.try_map(&mut |side| self.without_sums::<T>(side))?;
                let [chosen, other] = &**values;
                Tree::Select(condition, Box::new([self.without_sums::<T>(chosen)?, self.without_sums::<T>(other)?]))
            }
        })
    }

    /// Adds the stages of a reduction over labels.
    fn fold<T: Element>(&mut self, reduction: Reduction, over: &[usize], of: &Tree) -> Result<Factor, Error> {
        let free = of.free();
        if let Some(&label) = over.iter().find(|label| !free.contains(label)) {
            let message = format!("a reduction over `{}` of what does not have it", self.names[label]);
            return Err(unsupported(&message));
        }
        let kept: Vec<usize> = free.iter().copied().filter(|label| !over.contains(label)).collect();
        let axes = [&kept[..], over].concat();
        let reduced = self.stage::<T>(of, &axes, Said::default())?;
        let folded: Vec<usize> = (kept.len()..axes.len()).collect();
        let structure = &self.tensors.structures[reduced.operand];
        let names: Vec<&str> = over.iter().map(|&label| self.names[label].as_str()).collect();
        let fold = Fold::new(reduction, (reduced.operand, structure), (&folded, &names), T::DTYPE.is_complex())?;
        Ok(self.made(Stage::Fold(fold), kept))
    }

    /// A sum of products, where those with the same labels are computed together.
    fn sum_of<T: Element>(&mut self, terms: Vec<Term>) -> Result<Tree, Error> {
        let mut alike: Vec<(Vec<usize>, Vec<Term>)> = Vec::new();
        let mut number = Complex::ZERO;
        for term in terms {
            let free = term.free();
            if term.factors.is_empty() {
                number += term.scale * self.count(&term.summed)?;
                continue;
            }
            match alike.iter_mut().find(|(labels, _)| *labels == free) {
                Some((_, terms)) => terms.push(term),
                None => alike.push((free, vec![term])),
            }
        }
        let mut sum = (number != Complex::ZERO || alike.is_empty()).then_some(Tree::Number(number));
        for (labels, terms) in alike {
            let made = Tree::Factor(self.products::<T>(terms, labels, Said::default())?);
            sum = Some(match sum {
                Some(sum) => Tree::Binary(Operator::Add, Box::new(sum), Box::new(made)),
                None => made,
            });
        }
        Ok(sum.expect("a sum of nothing is a number"))
    }
}
