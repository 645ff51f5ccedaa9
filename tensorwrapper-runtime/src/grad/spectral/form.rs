//! A function of a matrix as factors of a term, and the small parts that its changes are made of.

use std::sync::Arc;

use tensorwrapper_notation::syntax::Operator;

use super::super::build::{Labels, binary, cast, conjugated, labels as plain, map, number, times};
use super::table::Table;
use crate::expr::{Axis, Factorised, Source, Tree, Value};
use crate::link::Link;
use tensorwrapper_core::backend::linear::{Factorisation, Role};
use tensorwrapper_core::element::Dtype;

/// A function of one matrix as factors of a term.
#[derive(Clone, Debug)]
pub(in super::super) struct Spectral<'a> {
    pub(in super::super) call: Arc<Factorised<'a>>,
    /// The same without truncation.
    pub(super) whole: Arc<Factorised<'a>>,
    pub(super) kind: Kind,
    /// One for each label of states.
    pub(super) pairs: Vec<Pair>,
    pub(super) weight: Weight<'a>,
    /// The other factors of the term.
    pub(super) rest: Tree<'a>,
    /// How the axes of the batch are read.
    pub(super) batch: Vec<Axis>,
    /// The element type of the equation.
    pub(super) dtype: Dtype,
}

/// Which vectors stand on the left and on the right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Eigenvectors on both sides.
    Eigen,
    /// Left singular vectors, and right ones.
    Across,
    /// Left singular vectors on both sides.
    Left,
    /// Right singular vectors on both sides.
    Right,
}

/// The vectors of rows and of columns that share a label.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub(super) label: usize,
    /// The first state that is read.
    pub(super) start: usize,
    /// How the other axes of the left vectors are read, and those of the right ones.
    pub(super) left: Vec<Axis>,
    pub(super) right: Vec<Axis>,
}

/// What the states are weighed with.
#[derive(Clone, Debug)]
pub(super) enum Weight<'a> {
    /// A function of the value of one state, over `axes` and the label of the states.
    Function {
        value: Link<Value<'a>>,
        /// What it reads in place of the values, where each of its elements depends on the value of its own state.
        by: Link<Value<'a>>,
        axes: Vec<usize>,
        /// Whether it is 1 for every state.
        is_one: bool,
    },
    /// Divided differences of a function, over `axes` and the labels of all pairs.
    Divided { table: Table<'a>, axes: Vec<usize> },
}

impl<'a> Spectral<'a> {
    /// Whether an operand of the term is one of the vectors, whose changes [`Spectral::changes`] has.
    pub(in super::super) fn reads(&self, value: &Link<Value<'a>>, axes: &[Axis]) -> bool {
        let Source::Factorised(call, n) = &value.source else { return false };
        let is_of = |label| axes.iter().any(|axis| matches!(axis, Axis::Label { label: own, .. } if *own == label));
        Arc::ptr_eq(call, &self.call) && *n != self.values() && self.pairs.iter().any(|pair| is_of(pair.label))
    }

    /// Which result has the values.
    pub(super) fn values(&self) -> usize {
        usize::from(self.call.call.kind == Factorisation::Svd)
    }

    /// The extents of the axes of a role.
    pub(super) fn role(&self, role: Role) -> Vec<usize> {
        role_extents(&self.call, role)
    }

    /// The number of states.
    pub(super) fn states(&self) -> usize {
        number_of_states(&self.call)
    }

    /// New labels for the axes of a role.
    pub(super) fn own_axes(&self, role: Role, name: &str, labels: &mut Labels) -> Vec<usize> {
        self.role(role).into_iter().map(|extent| labels.add(extent, name)).collect()
    }

    /// An operand of the matrix's elements in those of the equation, behind the axes of the batch.
    pub(super) fn operand(&self, value: &Link<Value<'a>>, axes: impl IntoIterator<Item = Axis>) -> Tree<'a> {
        let axes = self.batch.iter().cloned().chain(axes).collect();
        let tree = Tree::Operand(Link::clone(value), axes);
        if value.dtype == self.dtype { tree } else { cast(tree, value.dtype, self.dtype) }
    }

    /// The complex conjugate of an operand.
    pub(super) fn conjugate(&self, tree: Tree<'a>) -> Tree<'a> {
        if self.dtype.is_complex() { conjugated(tree) } else { tree }
    }
}

/// The Hermitian part of a value with the axes of an argument, where an operation reads Hermitian matrices; elsewhere the value itself.
pub(in super::super) fn hermitian_part<'a>(call: &Factorised<'a>, value: &Link<Value<'a>>) -> Link<Value<'a>> {
    let [batch, rows] = [call.call.batch, call.call.roles[Role::Row as usize]];
    // With other axes for rows than for columns no function of it is recognised.
    if call.call.kind != Factorisation::Eigh || role_extents(call, Role::Row) != role_extents(call, Role::Column) {
        return Link::clone(value);
    }
    let turned: Vec<usize> = (0..batch).chain(batch + rows..batch + 2 * rows).chain(batch..batch + rows).collect();
    map(value, |tree| {
        let other = Tree::Operand(Link::clone(value), axes(&turned));
        let other = if value.dtype.is_complex() { conjugated(other) } else { other };
        times(number(0.5), binary(Operator::Add, tree, other))
    })
}

/// The number of eigenvalues or singular values, those that a truncation leaves out included.
pub(super) fn number_of_states(call: &Factorised<'_>) -> usize {
    let [rows, columns] = [Role::Row, Role::Column].map(|role| role_extents(call, role).iter().product::<usize>());
    rows.min(columns)
}

/// The extents of the axes of a role.
pub(super) fn role_extents(call: &Factorised<'_>, role: Role) -> Vec<usize> {
    let own = call.call.labels(&[role]);
    own[call.call.batch..].iter().map(|&label| call.extents[label]).collect()
}

/// A product of factors.
pub(super) fn product<'a>(factors: impl IntoIterator<Item = Tree<'a>>) -> Tree<'a> {
    factors.into_iter().reduce(times).expect("there are factors")
}

/// The axis that runs with a label.
pub(super) fn axis(label: usize) -> Axis {
    Axis::Label { label, start: 0 }
}

/// The axes that run with these labels.
pub(super) fn axes(labels: &[usize]) -> Vec<Axis> {
    plain(labels.iter().copied())
}

/// One of the results of an operation.
pub(super) fn result<'a>(call: &Arc<Factorised<'a>>, n: usize) -> Link<Value<'a>> {
    let outcome = &call.call.form().results[n];
    let extents = call.call.labels(outcome.roles).iter().map(|&label| call.extents[label]).collect();
    let dtype = call.call.dtype(outcome.elements, call.arguments[0].dtype);
    Link::new(Value { extents, dtype, source: Source::Factorised(Arc::clone(call), n) })
}
