//! Recognises functions of a matrix among the factors of a term.

use std::sync::Arc;

use tensorwrapper_notation::syntax::Operator;

use super::super::build::{Labels, binary, number, turned};
use super::form::{Kind, Pair, Spectral, Weight, number_of_states, product, role_extents};
use super::path::{Path, places};
use super::table::Table;
use crate::expr::{Axis, Factorised, Source, Tree, Value};
use crate::link::Link;
use tensorwrapper_core::backend::linear::{Factorisation, Role};
use tensorwrapper_core::backend::{Decomposition, Unary};
use tensorwrapper_core::element::Dtype;

/// A term with functions of matrices.
pub(in super::super) struct Recognised<'a> {
    pub(in super::super) found: Vec<Spectral<'a>>,
    /// The term, which reads copies of the values where `found` has their changes.
    pub(in super::super) body: Tree<'a>,
    /// These copies, which do not change.
    pub(in super::super) constant: Vec<Link<Value<'a>>>,
}

/// Vectors of an operation that are read with a label of states.
struct Vectors<'a> {
    /// Which of the factors.
    factor: usize,
    call: Arc<Factorised<'a>>,
    result: usize,
    label: usize,
    start: usize,
    batch: Vec<Axis>,
    /// The axes besides those of the batch and of the states.
    rows: Vec<Axis>,
    is_conjugated: bool,
}

/// The functions of matrices in `sum(bound; body)`.
///
/// A variable is what a derivative is taken by: it changes as any other operand, also where it is one of the vectors or values.
pub(in super::super) fn find<'a>(
    (labels, bound): (&Labels, &[usize]),
    body: &Tree<'a>,
    dtype: Dtype,
    is_variable: &dyn Fn(&Link<Value<'a>>) -> bool,
) -> Option<Recognised<'a>> {
    let (mut factors, mut is_negative) = (Vec::new(), false);
    factors_of(body, &mut factors, &mut is_negative);
    let all: Vec<Vectors<'a>> = factors.iter().enumerate().filter_map(|(n, factor)| vectors(n, factor, is_variable)).collect();
    if all.len() < 2 {
        return None;
    }
    let term = Term { labels, factors, all, dtype, sign: if is_negative { -1.0 } else { 1.0 } };
    let pairs: Vec<Found<'a>> = bound.iter().filter_map(|&label| term.pair(label)).collect();
    let mut recognised = Recognised { found: Vec::new(), body: Tree::Constant(1.0.into()), constant: Vec::new() };
    let (mut own, mut open) = (term.factors.clone(), pairs);
    for (factor, own) in own.iter_mut().enumerate() {
        let Some((spectral, labels)) = term.divided(factor, &open) else { continue };
        open.retain(|found| !labels.contains(&found.pair.label));
        let mut path = Path::new(&spectral.call, 0, is_variable);
        if let Some(differences) = spectral.held_differences(&mut path) {
            *own = term.read_as(factor, differences);
            recognised.constant.push(path.by);
        }
        recognised.found.push(spectral);
    }
    // The labels of differences that were not understood belong to no other function.
    let unknown: Vec<usize> = term.factors.iter().filter(|factor| is_divided(factor)).flat_map(labels_of).collect();
    for found in open {
        if unknown.contains(&found.pair.label) {
            continue;
        }
        let mut path = Path::new(&found.call, usize::from(found.kind != Kind::Eigen), is_variable);
        if let Some(spectral) = term.function(found, &mut path, &mut own) {
            recognised.found.push(spectral);
            recognised.constant.push(path.by);
        }
    }
    let sign = if is_negative { number(-1.0) } else { number(1.0) };
    recognised.body = product([sign].into_iter().chain(own));
    (!recognised.found.is_empty()).then_some(recognised)
}

impl<'a> Spectral<'a> {
    /// The divided differences at places that do not change: they change with what else the function depends on.
    fn held_differences(&self, path: &mut Path<'_, 'a>) -> Option<Link<Value<'a>>> {
        let Weight::Divided { table, axes } = &self.weight else { return None };
        let position = |(label, start): (usize, usize)| Some((axes.iter().position(|own| *own == label)?, start));
        let mut positions = places(&self.batch)?.into_iter().map(position).collect::<Option<Vec<_>>>()?;
        positions.push((axes.len(), 0));
        let places = path.value(&table.places, &positions)?;
        let function = path.value(&table.function, &positions).unwrap_or_else(|| Link::clone(&table.function));
        Table { function, places }.differences(self.pairs.len() - 1).ok()
    }
}

struct Term<'l, 'a> {
    labels: &'l Labels,
    factors: Vec<Tree<'a>>,
    all: Vec<Vectors<'a>>,
    dtype: Dtype,
    sign: f64,
}

/// A pair of vectors, and which factors they are.
struct Found<'a> {
    call: Arc<Factorised<'a>>,
    kind: Kind,
    batch: Vec<Axis>,
    pair: Pair,
    factors: [usize; 2],
}

impl<'a> Term<'_, 'a> {
    /// The two vectors that share a label, if they make a function of the matrix.
    fn pair(&self, label: usize) -> Option<Found<'a>> {
        let own: Vec<&Vectors<'a>> = self.all.iter().filter(|one| one.label == label).collect();
        let [one, other] = own[..] else { return None };
        if !Arc::ptr_eq(&one.call, &other.call) || one.batch != other.batch || one.start != other.start {
            return None;
        }
        let is_complex = one.call.arguments[0].dtype.is_complex();
        let conjugated = [one.is_conjugated, other.is_conjugated];
        let (kind, left, right) = match (one.call.call.kind, one.result, other.result) {
            (Factorisation::Eigh, 1, 1) => (Kind::Eigen, one, other),
            (Factorisation::Svd, 0, 0) => (Kind::Left, one, other),
            (Factorisation::Svd, 2, 2) => (Kind::Right, one, other),
            (Factorisation::Svd, 0, 2) if !is_complex || conjugated == [false; 2] => (Kind::Across, one, other),
            (Factorisation::Svd, 2, 0) if !is_complex || conjugated == [false; 2] => (Kind::Across, other, one),
            _ => return None,
        };
        let (left, right) = match kind {
            Kind::Across => (left, right),
            _ if !is_complex => (left, right),
            _ if conjugated == [true; 2] || conjugated == [false; 2] => return None,
            // Right vectors are the rows of V, so that the conjugated ones stand on the left.
            Kind::Right if one.is_conjugated => (one, other),
            Kind::Eigen | Kind::Left if other.is_conjugated => (one, other),
            _ => (other, one),
        };
        let pair = Pair { label, start: one.start, left: left.rows.clone(), right: right.rows.clone() };
        Some(Found { call: Arc::clone(&one.call), kind, batch: one.batch.clone(), pair, factors: [left.factor, right.factor] })
    }

    /// A factor with another value in place of its operand.
    fn read_as(&self, factor: usize, value: Link<Value<'a>>) -> Tree<'a> {
        let (_, read, _) = operand(&self.factors[factor]).expect("it is an operand");
        Tree::Operand(value, read.to_vec())
    }

    /// The function whose divided differences are this factor, and the labels of its states.
    fn divided(&self, factor: usize, pairs: &[Found<'a>]) -> Option<(Spectral<'a>, Vec<usize>)> {
        let (value, read, is_conjugated) = operand(&self.factors[factor])?;
        let Source::Factorised(call, 0) = &value.source else { return None };
        if call.call.kind != Factorisation::Divided {
            return None;
        }
        let read: Vec<usize> =
            places(read)?.into_iter().map(|(label, start)| (start == 0).then_some(label)).collect::<Option<_>>()?;
        let (own, states) = read.split_at(call.call.batch);
        let found: Vec<&Found<'a>> =
            states.iter().map(|state| pairs.iter().find(|found| found.pair.label == *state)).collect::<Option<_>>()?;
        let first = found[0];
        let full = role_extents(&first.call, Role::NewRow);
        let is_known = |one: &&Found<'a>| {
            let whole = one.pair.start == 0 && full == [self.labels.extents[one.pair.label]];
            Arc::ptr_eq(&one.call, &first.call) && one.kind == Kind::Eigen && one.batch == first.batch && whole
        };
        let used: Vec<usize> = found.iter().flat_map(|one| one.factors).chain([factor]).collect();
        let others = || (0..self.factors.len()).filter(|n| !used.contains(n));
        let reads_states = |n: usize| labels_of(&self.factors[n]).iter().any(|label| states.contains(label));
        if !found.iter().all(is_known) || first.call.arguments.len() > 1 || others().any(reads_states) {
            return None;
        }
        let rest = others().map(|n| self.factors[n].clone());
        let [function, places] = [0, 1].map(|n| Link::clone(&call.arguments[n]));
        // Of the conjugated differences the function is conjugated, too.
        let function = if is_conjugated { turned(&function) } else { function };
        let table = Table { function, places };
        let spectral = Spectral {
            call: Arc::clone(&first.call),
            whole: Arc::clone(&first.call),
            kind: Kind::Eigen,
            pairs: found.iter().map(|one| one.pair.clone()).collect(),
            weight: Weight::Divided { table, axes: own.to_vec() },
            rest: product([number(self.sign)].into_iter().chain(rest)),
            batch: first.batch.clone(),
            dtype: self.dtype,
        };
        Some((spectral, states.to_vec()))
    }

    /// The function whose factors are read with the label of the states, if it is one of each value. `own` are the factors of the term,
    /// which then read the path.
    fn function(&self, found: Found<'a>, path: &mut Path<'_, 'a>, own: &mut [Tree<'a>]) -> Option<Spectral<'a>> {
        let label = found.pair.label;
        let mut wanted = places(&found.batch).expect("the batch is read by labels");
        wanted.push((label, found.pair.start));
        let (mut of, mut rest, mut kept, mut changed) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (n, factor) in self.factors.iter().enumerate().filter(|(n, _)| !found.factors.contains(n)) {
            let own_labels = labels_of(factor);
            if !own_labels.contains(&label) {
                rest.push(factor.clone());
                continue;
            }
            kept.extend(own_labels);
            let tree = path.tree(factor, &wanted).unwrap_or_else(|| factor.clone());
            if !path.is_alone(&tree, label) {
                return None;
            }
            of.push(tree);
            changed.extend(path.tree(&own[n], &wanted).map(|tree| (n, tree)));
        }
        changed.into_iter().for_each(|(n, tree)| own[n] = tree);
        kept.extend(wanted.iter().map(|(label, _)| *label));
        kept.retain(|own| *own != label);
        kept.sort_unstable();
        kept.dedup();
        let is_whole = found.pair.start == 0 && self.labels.extents[label] == number_of_states(&found.call);
        let is_one = of.is_empty() && is_whole;
        let over = kept.iter().copied().chain([label]).collect();
        let value = self.labels.value(product([number(1.0)].into_iter().chain(of)), over, self.dtype);
        Some(Spectral {
            kind: found.kind,
            weight: Weight::Function { value, by: Link::clone(&path.by), axes: kept, is_one },
            pairs: vec![found.pair],
            rest: product([number(self.sign)].into_iter().chain(rest)),
            batch: found.batch,
            dtype: self.dtype,
            whole: whole(&found.call),
            call: found.call,
        })
    }
}

/// The operation without truncation.
fn whole<'a>(call: &Arc<Factorised<'a>>) -> Arc<Factorised<'a>> {
    if call.call.max.is_none() {
        return Arc::clone(call);
    }
    let mut extents = call.extents.clone();
    extents[call.call.labels(&[Role::New])[call.call.batch]] = number_of_states(call);
    let whole = Decomposition { max: None, ..call.call.clone() };
    Arc::new(Factorised { call: whole, extents, arguments: call.arguments.clone() })
}

/// The factors of a product. A divisor is a factor, too.
fn factors_of<'a>(tree: &Tree<'a>, found: &mut Vec<Tree<'a>>, is_negative: &mut bool) {
    match tree {
        Tree::Binary(Operator::Multiply, left, right) => {
            factors_of(left, found, is_negative);
            factors_of(right, found, is_negative);
        }
        Tree::Binary(Operator::Divide, left, right) if !matches!(**left, Tree::Constant(_)) => {
            factors_of(left, found, is_negative);
            found.push(binary(Operator::Divide, number(1.0), (**right).clone()));
        }
        Tree::Negate(inner) => {
            *is_negative = !*is_negative;
            factors_of(inner, found, is_negative);
        }
        other => found.push(other.clone()),
    }
}

fn labels_of(tree: &Tree<'_>) -> Vec<usize> {
    let mut found = Vec::new();
    tree.labels(&mut found);
    found
}

/// An operand, perhaps conjugated.
fn operand<'t, 'a>(tree: &'t Tree<'a>) -> Option<(&'t Link<Value<'a>>, &'t [Axis], bool)> {
    match tree {
        Tree::Operand(value, read) => Some((value, read, false)),
        Tree::Apply(Unary::Conj, inner) => operand(inner).map(|(value, read, is_conjugated)| (value, read, !is_conjugated)),
        _ => None,
    }
}

fn is_divided(tree: &Tree<'_>) -> bool {
    let Some((value, _, _)) = operand(tree) else { return false };
    matches!(&value.source, Source::Factorised(call, _) if call.call.kind == Factorisation::Divided)
}

/// The vectors that a factor reads, perhaps conjugated and as complex numbers.
fn vectors<'a>(factor: usize, tree: &Tree<'a>, is_variable: &dyn Fn(&Link<Value<'a>>) -> bool) -> Option<Vectors<'a>> {
    match tree {
        Tree::Apply(Unary::Conj, inner) => {
            let found = vectors(factor, inner, is_variable)?;
            Some(Vectors { is_conjugated: !found.is_conjugated, ..found })
        }
        Tree::Cast(from, inner) if !from.is_complex() => vectors(factor, inner, is_variable),
        Tree::Operand(value, read) => {
            let Source::Factorised(call, result) = &value.source else { return None };
            let own = &call.call;
            let count = |role: Role| own.roles[role as usize];
            let (role, is_last) = match (own.kind, result) {
                (Factorisation::Eigh, 1) => (Role::NewRow, true),
                (Factorisation::Svd, 0) => (Role::New, true),
                (Factorisation::Svd, 2) => (Role::New, false),
                _ => return None,
            };
            if own.full || own.tol.is_some() || count(role) != 1 || is_variable(value) {
                return None;
            }
            // Both sides of a Hermitian matrix have the same axes.
            if own.kind == Factorisation::Eigh && role_extents(call, Role::Row) != role_extents(call, Role::Column) {
                return None;
            }
            let (batch, mut rows) = (read[..own.batch].to_vec(), read[own.batch..].to_vec());
            places(&batch)?;
            let states = rows.remove(if is_last { rows.len() - 1 } else { 0 });
            let Axis::Label { label, start } = states else { return None };
            let others = batch.iter().chain(&rows).flat_map(Axis::labels);
            let is_alone = others.into_iter().all(|other| *other != label);
            is_alone.then(|| Vectors {
                factor,
                call: Arc::clone(call),
                result: *result,
                label,
                start,
                batch,
                rows,
                is_conjugated: false,
            })
        }
        _ => None,
    }
}
