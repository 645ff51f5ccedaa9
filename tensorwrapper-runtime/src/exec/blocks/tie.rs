//! Equations over tensors whose axes are tied, as those of a diagonal are: before anything is planned, labels that always have the
//! same index become one label, and such an operand is read as what it stores. What is left has its zeros written out.
//!
//! Knows nothing of blocks or elements.

use tensorwrapper_core::backend::Reduction;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::ties::{firsts, has_elements, picked, places, tied};
use tensorwrapper_core::shape::Tiling;
use tensorwrapper_core::structure::Structure;
use tensorwrapper_notation::Function;
use tensorwrapper_notation::syntax::Operator;

use super::flow;
use super::reader::Written;
use super::stages::Stage;
use super::tensors::Tensors;
use super::terms::{Factor, Sum, expand};
use super::tree::{Extra, ReadPart, Tree, keeps_zero, unsupported};

/// The number of the first tensor that is made after what is made here, until it is known how much that is.
const LATER: usize = usize::MAX / 2;

/// An equation without ties.
pub(super) struct Resolved {
    pub(super) written: Written,
    pub(super) tensors: Tensors,
    /// What is computed before it: operands with their zeros.
    pub(super) before: Vec<Stage>,
    /// Of each axis of the left side the first one that it is tied to, where some are; the equation has the first ones alone.
    ties: Option<Vec<usize>>,
    signs: Option<Vec<i64>>,
    /// How many axes each layer of such a left side has, if it is in layers.
    layers: Vec<usize>,
}

/// Which labels have the same index: of each label the one that stands for it.
type Same = Vec<usize>;

/// Resolves the ties of an equation's operands.
///
/// # Errors
/// As [`Structure::stored`]; and [`ErrorKind::Shape`](tensorwrapper_core::error::ErrorKind::Shape) when charges do not fit.
pub(super) fn resolved(written: Written, tensors: Tensors) -> Result<Resolved, Error> {
    let is_tied = |operand: usize| tensors.structures.get(operand).is_some_and(|structure| structure.ties().is_some());
    let any_is_tied = written.tree.factors().iter().any(|factor| is_tied(factor.operand));
    let part_is_tied = written.extras.iter().any(|extra| matches!(extra, Extra::Part(part) if is_tied(part.operand)));
    if !any_is_tied && !part_is_tied {
        // The place of an assignment may have ties, but is not read.
        return Ok(Resolved { written, tensors, before: Vec::new(), ties: None, signs: None, layers: Vec::new() });
    }
    check_flow(&written, &tensors)?;
    let count = tensors.len();
    // What else is read is made after what is made here, so that its numbers are known in the end.
    let tree = written.tree.numbered(&|operand| if operand < count { operand } else { operand - count + LATER });
    let written = Written { tree, ..written };
    let order = {
        let others = (0..written.names.len()).filter(|label| !written.left.contains(label));
        written.left.iter().copied().chain(others).collect()
    };
    let original = tensors.structures.clone();
    let has_indices = (0..written.names.len()).map(|label| has_indices(label, &written, &original)).collect();
    let mut resolver = Resolver { order, original, has_indices, untied: vec![None; count], tensors, before: Vec::new() };
    let own = resolver.ties(&written.tree);
    let known = resolver.of_result(&written, &own);
    let ties = resolver.axes_of(&written.left, &known);
    let signs = ties.as_ref().and_then(|ties| resolver.signs(&written, ties));
    let tree = resolver.resolve(&written.tree, &known)?;
    let extras = resolver.extras(&written.extras)?;
    let made = resolver.tensors.len();
    let tree = tree.numbered(&|operand| operand.checked_sub(LATER).map_or(operand, |extra| extra + made));
    let extents = |factor: &&Factor| -> Vec<(usize, usize)> {
        let tilings = resolver.original.get(factor.operand).map_or(&[][..], Structure::tilings);
        factor.labels.iter().copied().zip(tilings.iter().map(|tiling| tiling.extent())).collect()
    };
    let tied_labels = written.tree.factors().iter().flat_map(extents).collect();
    let axes: Vec<usize> = (0..written.left.len()).filter(|&axis| has_elements(ties.as_deref(), axis)).collect();
    for structure in &mut resolver.tensors.structures[..count] {
        *structure = structure.core()?;
    }
    // Layers are those of all axes, so that they wait until the others are there.
    let (layers, own) = if ties.is_some() { (written.layers, Vec::new()) } else { (Vec::new(), written.layers) };
    let written = Written {
        tree,
        extras,
        layers: own,
        left: axes.iter().map(|&axis| written.left[axis]).collect(),
        target: axes.iter().map(|&axis| written.target[axis].clone()).collect(),
        is_tied: ties.is_some(),
        tied: tied_labels,
        ..written
    };
    Ok(Resolved { written, tensors: resolver.tensors, before: resolver.before, ties, signs, layers })
}

impl Resolved {
    /// The structure of the result, of which this is what is stored.
    ///
    /// # Errors
    /// As [`Structure::stored`].
    pub(super) fn result(&self, core: &Structure) -> Result<Structure, Error> {
        let Some(ties) = &self.ties else { return Ok(core.clone()) };
        let places = places(ties);
        let mut structure = Structure::new(places.iter().map(|&place| &core.tilings()[place]));
        for first in firsts(ties) {
            structure = structure.tied(tied(ties, first))?;
        }
        let all = core.tilings().iter().map(|tiling| tiling.len() as u128).product::<u128>();
        let stored = core.stored()?;
        if (stored.len() as u128) < all {
            structure = structure.with_blocks(stored.iter().map(|block| picked(&block, &places)))?;
        }
        if !self.layers.is_empty() {
            structure = structure.nested(&*self.layers)?;
        }
        let charges = core.tilings().first().and_then(|tiling| tiling.charges());
        match (&self.signs, charges) {
            (Some(signs), Some(charges)) if core.tilings().iter().all(|tiling| tiling.charges().is_some()) => {
                structure.flow(signs, charges.group().neutral())
            }
            _ => Ok(structure),
        }
    }
}

/// Whether a label has indices, where what is read beside operands has numbers from `LATER` on.
fn has_indices(label: usize, written: &Written, original: &[Structure]) -> bool {
    let has = |factor: &Factor| written.extent_on(factor, label, (original, LATER)).is_some_and(|extent| extent > 0);
    written.declared[label].is_some_and(|extent| extent > 0) || written.tree.factors().into_iter().any(has)
}

/// Whether charges fit, where labels that become one are not compared any more.
fn check_flow(written: &Written, tensors: &Tensors) -> Result<(), Error> {
    if !written.tree.is_sum_of_products() {
        return Ok(());
    }
    // A product of sums is compared where it is planned.
    let Ok(mut terms) = expand(&written.tree, &mut |_| Err(unsupported("a product of sums"))) else { return Ok(()) };
    // A number, as a position of a vector is one, has no index that a charge could leave by.
    terms.iter_mut().for_each(|term| term.factors.retain(|factor| !factor.labels.is_empty()));
    let Some(tensors) = with_extras(tensors, &written.extras)? else { return Ok(()) };
    // What has another rank is refused where it is planned.
    let fits = |factor: &Factor| tensors.structures[factor.operand].rank() == factor.labels.len();
    if !terms.iter().flat_map(|term| &term.factors).all(fits) {
        return Ok(());
    }
    flow::flow(&Sum { terms, left: written.left.clone(), names: written.names.clone(), within: None }, &tensors).map(|_| ())
}

/// The operands, and behind them what else is read: slices, and the values of an index; these carry no charges. Nothing where a slice
/// leaves its operand, which is refused where it is read.
fn with_extras(tensors: &Tensors, extras: &[Extra]) -> Result<Option<Tensors>, Error> {
    let mut all = tensors.clone();
    for extra in extras {
        match extra {
            Extra::Part(part) => {
                let whole = tensors.structures[part.operand].untied()?;
                let Ok(structure) = whole.part(&part.axis_parts(&whole)) else { return Ok(None) };
                all.add(structure, &tensors.names[part.operand]);
            }
            // Of any extent: only charges are looked at.
            Extra::Iota(_) => _ = all.add(Structure::new([&Tiling::whole(1)]), "iota"),
        }
    }
    Ok(Some(all))
}

struct Resolver {
    /// All labels: those that may stand for others first.
    order: Vec<usize>,
    /// The structures of the operands, with their ties.
    original: Vec<Structure>,
    /// Whether each label has indices.
    has_indices: Vec<bool>,
    /// The number of each operand with its zeros, where it was needed.
    untied: Vec<Option<usize>>,
    tensors: Tensors,
    before: Vec<Stage>,
}

impl Resolver {
    /// Of each label the first one that is the same.
    fn same(&self, is_same: impl Fn(usize, usize) -> bool) -> Same {
        let first = |label: usize| self.order.iter().copied().find(|&other| other == label || is_same(label, other));
        (0..self.order.len()).map(|label| first(label).unwrap_or(label)).collect()
    }

    /// No labels that are the same.
    fn none(&self) -> Same {
        (0..self.order.len()).collect()
    }

    /// What is the same by one or the other.
    fn joined(&self, one: &Same, other: &Same) -> Same {
        let mut all = one.clone();
        for (label, &first) in other.iter().enumerate() {
            let (from, to) = (all[label], all[first]);
            all.iter_mut().filter(|class| **class == from).for_each(|class| *class = to);
        }
        self.same(|label, other| all[label] == all[other])
    }

    /// What is the same by both.
    fn of_both(&self, one: &Same, other: &Same) -> Same {
        self.same(|label, first| one[label] == one[first] && other[label] == other[first])
    }

    /// The labels that have the same index wherever an expression is not zero.
    fn ties(&self, tree: &Tree) -> Same {
        match tree {
            Tree::Factor(factor) => self.ties_of(factor),
            Tree::Number(_) => self.none(),
            Tree::Negate(inner) => self.ties(inner),
            Tree::Binary(Operator::Multiply, one, other) => self.joined(&self.ties(one), &self.ties(other)),
            Tree::Binary(Operator::Divide, one, _) => self.ties(one),
            Tree::Binary(Operator::Add | Operator::Subtract, one, other) => self.of_both(&self.ties(one), &self.ties(other)),
            // A product over nothing is one, whatever there would be.
            Tree::Fold(Reduction::Product, labels, _) if !labels.iter().all(|&label| self.has_indices[label]) => self.none(),
            Tree::Sum(summed, inner) | Tree::Fold(_, summed, inner) => {
                let inner = self.ties(inner);
                let is_free = |label: &usize| !summed.contains(label);
                self.same(|label, other| is_free(&label) && is_free(&other) && inner[label] == inner[other])
            }
            Tree::Apply(function, inner) if keeps_zero(*function) == Some(true) || *function == Function::Conj => {
                self.ties(inner)
            }
            Tree::PowerInteger(inner, exponent) if *exponent > 0 => self.ties(inner),
            Tree::PowerReal(inner, exponent) if *exponent > 0.0 => self.ties(inner),
            Tree::Select(_, values) => match &**values {
                [chosen, other] if other.is_zero() => self.ties(chosen),
                [chosen, other] if chosen.is_zero() => self.ties(other),
                [chosen, other] => self.of_both(&self.ties(chosen), &self.ties(other)),
            },
            Tree::Apply(..) | Tree::PowerInteger(..) | Tree::PowerReal(..) => self.none(),
        }
    }

    fn ties_of(&self, factor: &Factor) -> Same {
        let mut all = self.none();
        if let Some(ties) = self.ties_of_operand(factor) {
            for (axis, &first) in ties.iter().enumerate() {
                let (from, to) = (all[factor.labels[axis]], all[factor.labels[first]]);
                all.iter_mut().filter(|class| **class == from).for_each(|class| *class = to);
            }
        }
        self.same(|label, other| all[label] == all[other])
    }

    /// Labels of the left side that are the same in the result: unless a symmetry is claimed, or they are to be cut differently.
    fn of_result(&self, written: &Written, own: &Same) -> Same {
        if !written.claims.is_empty() {
            return self.none();
        }
        let cut = |label: usize| {
            let axis = written.left.iter().position(|own| *own == label)?;
            Some(written.target[axis].as_ref().map(|(_, tiling)| tiling))
        };
        self.same(|label, other| match (cut(label), cut(other)) {
            (Some(one), Some(two)) => own[label] == own[other] && one == two,
            _ => false,
        })
    }

    /// Of each axis of the left side the first one with the same index, where some are tied.
    fn axes_of(&self, left: &[usize], known: &Same) -> Option<Vec<usize>> {
        let first = |label: &usize| left.iter().position(|other| known[*other] == known[*label]).expect("it is one of these");
        let ties: Vec<usize> = left.iter().map(first).collect();
        ties.iter().enumerate().any(|(axis, first)| axis != *first).then_some(ties)
    }

    /// The signs of the charges of a result whose axes are all tied in pairs, where charges enter by one and leave by the other.
    fn signs(&self, written: &Written, ties: &[usize]) -> Option<Vec<i64>> {
        let sign = |label: &usize| {
            written.tree.factors().into_iter().find_map(|factor| {
                let flow = self.original.get(factor.operand)?.charge_flow()?;
                let axis = factor.labels.iter().position(|own| own == label)?;
                Some(if factor.conjugates { -flow.signs()[axis] } else { flow.signs()[axis] })
            })
        };
        let signs: Vec<i64> = written.left.iter().map(sign).collect::<Option<_>>()?;
        let is_pair = |first: usize| {
            let tied = tied(ties, first);
            tied.len() == 2 && signs[tied[0]] == -signs[tied[1]]
        };
        ties.iter().all(|&first| is_pair(first)).then_some(signs)
    }

    /// The same expression, where it is needed only where these labels are the same: they are renamed, and summed labels that have
    /// but one index are not summed.
    fn resolve(&mut self, tree: &Tree, known: &Same) -> Result<Tree, Error> {
        let mut inner = |inner: &Tree| self.resolve(inner, known).map(Box::new);
        Ok(match tree {
            Tree::Factor(factor) => Tree::Factor(self.factor(factor, known)?),
            Tree::Number(value) => Tree::Number(*value),
            Tree::Negate(of) => Tree::Negate(inner(of)?),
            Tree::Binary(operator, one, other) => Tree::Binary(*operator, inner(one)?, inner(other)?),
            Tree::Apply(function, of) => Tree::Apply(*function, inner(of)?),
            Tree::PowerInteger(of, exponent) => Tree::PowerInteger(inner(of)?, *exponent),
            Tree::PowerReal(of, exponent) => Tree::PowerReal(inner(of)?, *exponent),
            Tree::Select(condition, values) => {
                let condition = condition.try_map(&mut |side| self.resolve(side, known))?;
                let [chosen, other] = &**values;
                Tree::Select(condition, Box::new([self.resolve(chosen, known)?, self.resolve(other, known)?]))
            }
            Tree::Sum(labels, of) => self.sum(labels, of, known)?,
            // Zeros take part in it, so what is tied inside of it is read with its zeros.
            Tree::Fold(reduction, labels, of) => Tree::Fold(*reduction, labels.clone(), inner(of)?),
        })
    }

    fn sum(&mut self, labels: &[usize], of: &Tree, known: &Same) -> Result<Tree, Error> {
        let part = |part: &Tree| Tree::Sum(labels.to_vec(), Box::new(part.clone()));
        match of {
            Tree::Negate(inner) => return Ok(Tree::Negate(Box::new(self.resolve(&part(inner), known)?))),
            // The terms of a sum may have ties that differ.
            Tree::Binary(operator @ (Operator::Add | Operator::Subtract), one, other) => {
                let (one, other) = (self.resolve(&part(one), known)?, self.resolve(&part(other), known)?);
                return Ok(Tree::Binary(*operator, Box::new(one), Box::new(other)));
            }
            _ => {}
        }
        let all = self.joined(known, &self.ties(of));
        let mut same = known.clone();
        for &label in labels {
            let is_free = |other: &usize| !labels.contains(other) && all[*other] == all[label];
            let free = self.order.iter().copied().find(is_free);
            let summed = || labels.iter().copied().find(|&other| all[other] == all[label]);
            same[label] = free.map(|free| known[free]).or_else(summed).unwrap_or(label);
        }
        let left: Vec<usize> = labels.iter().copied().filter(|&label| same[label] == label).collect();
        let inner = self.resolve(of, &same)?;
        Ok(if left.is_empty() { inner } else { Tree::Sum(left, Box::new(inner)) })
    }

    /// A factor: what a tied operand stores where its labels are the same, else the operand with its zeros.
    fn factor(&mut self, factor: &Factor, known: &Same) -> Result<Factor, Error> {
        let labels: Vec<usize> = factor.labels.iter().map(|&label| known[label]).collect();
        let Some(ties) = self.ties_of_operand(factor) else {
            return Ok(Factor { labels, ..factor.clone() });
        };
        if ties.iter().enumerate().all(|(axis, &first)| labels[axis] == labels[first]) {
            return Ok(Factor { labels: firsts(ties).map(|axis| labels[axis]).collect(), ..factor.clone() });
        }
        Ok(Factor { operand: self.untied(factor.operand)?, labels, ..factor.clone() })
    }

    /// The ties of what a factor reads, if it is an operand that has some.
    fn ties_of_operand(&self, factor: &Factor) -> Option<&[usize]> {
        self.original.get(factor.operand)?.ties().filter(|ties| ties.len() == factor.labels.len())
    }

    /// The number of an operand with its zeros.
    fn untied(&mut self, operand: usize) -> Result<usize, Error> {
        if let Some(known) = self.untied[operand] {
            return Ok(known);
        }
        let from = self.original[operand].clone();
        let result = from.untied()?;
        let made = self.tensors.add(result.clone(), &self.tensors.names[operand].clone());
        self.before.push(Stage::Untied { operand, from, result });
        Ok(*self.untied[operand].insert(made))
    }

    /// What is read beside operands: parts of a diagonal are parts of it with its zeros.
    fn extras(&mut self, extras: &[Extra]) -> Result<Vec<Extra>, Error> {
        let extra = |extra: &Extra| match extra {
            Extra::Part(part) if self.original[part.operand].ties().is_some() => {
                Ok(Extra::Part(ReadPart { operand: self.untied(part.operand)?, ..part.clone() }))
            }
            other => Ok(other.clone()),
        };
        extras.iter().map(extra).collect()
    }
}
