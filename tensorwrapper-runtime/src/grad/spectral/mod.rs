//! Functions of a matrix in equations, written by its eigenvectors or singular vectors: `C[p, n] * g(e[n]) * conj(C[q, n])`.
//!
//! Such a term is smooth where values are equal, although the vectors are not. Its derivative puts the change of the matrix between two
//! copies of the vectors, `C[p, a] * g[a, b] * (Cᴴ·dA·C)[a, b] * conj(C[q, b])`, with the divided differences of g at the values. The
//! result is again a sum of such terms, of one order more, so that second derivatives follow from the same rule.
//!
//! `find.rs` recognises the terms, `path.rs` tells how the function depends on the values, `weights.rs` records its divided differences,
//! `eigen.rs` and `singular.rs` have the changes.
//!
//! Sources: Yu. L. Daleckii, S. G. Krein (1965); N. J. Higham, "Functions of Matrices" (2008), §3.2. For singular values: F. Arrigo,
//! M. Benzi, C. Fenu, "Computation of generalized matrix functions" (2016), in the form that follows from the matrix
//! [[0, A], [Aᴴ, 0]].

mod eigen;
mod find;
mod path;
mod singular;
mod weights;

use std::sync::Arc;

use super::build::{Labels, cast, conjugated, labels as plain, times};
use crate::expr::{Axis, Factorised, Source, Tree, Value};
use crate::link::Link;
pub(super) use find::find;
use tensorwrapper_core::backend::linear::{Factorisation, Role};
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::Error;
use weights::Table;

/// How a value changes with another one that stands for the values of the matrix: the slope, if it depends on it.
pub(super) type Slope<'s, 'a> = &'s dyn Fn(&Link<Value<'a>>, &Link<Value<'a>>) -> Result<Option<Link<Value<'a>>>, Error>;

/// One term of a change: the labels that it sums, and its body.
pub(super) type Change<'a> = (Vec<usize>, Tree<'a>);

/// A function of one matrix as factors of a term.
#[derive(Clone, Debug)]
pub(super) struct Spectral<'a> {
    pub(super) call: Arc<Factorised<'a>>,
    /// The same without truncation.
    whole: Arc<Factorised<'a>>,
    kind: Kind,
    /// One for each label of states.
    pairs: Vec<Pair>,
    weight: Weight<'a>,
    /// The other factors of the term.
    rest: Tree<'a>,
    /// How the axes of the batch are read.
    batch: Vec<Axis>,
    /// The element type of the equation.
    dtype: Dtype,
}

/// Which vectors stand on the left and on the right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
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
struct Pair {
    label: usize,
    /// The first state that is read.
    start: usize,
    /// How the other axes of the left vectors are read, and those of the right ones.
    left: Vec<Axis>,
    right: Vec<Axis>,
}

/// What the states are weighed with.
#[derive(Clone, Debug)]
enum Weight<'a> {
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
    pub(super) fn reads(&self, value: &Link<Value<'a>>, axes: &[Axis]) -> bool {
        let Source::Factorised(call, n) = &value.source else { return false };
        let is_of = |label| axes.iter().any(|axis| matches!(axis, Axis::Label { label: own, .. } if *own == label));
        Arc::ptr_eq(call, &self.call) && *n != self.values() && self.pairs.iter().any(|pair| is_of(pair.label))
    }

    /// Which result has the values.
    fn values(&self) -> usize {
        usize::from(self.call.call.kind == Factorisation::Svd)
    }

    /// The changes of the term, of which `bound` are summed, for changes of the arguments.
    ///
    /// # Errors
    /// What has no derivative.
    pub(super) fn changes(
        &self,
        labels: &mut Labels,
        bound: &[usize],
        arguments: &[Option<Link<Value<'a>>>],
        slope: Slope<'_, 'a>,
    ) -> Result<Vec<Change<'a>>, Error> {
        match self.kind {
            Kind::Eigen => eigen::changes(self, labels, bound, arguments, slope),
            Kind::Across | Kind::Left | Kind::Right => singular::changes(self, labels, bound, &arguments[0], slope),
        }
    }

    /// The extents of the axes of a role.
    fn role(&self, role: Role) -> Vec<usize> {
        role_extents(&self.call, role)
    }

    /// The number of states.
    fn states(&self) -> usize {
        number_of_states(&self.call)
    }

    /// New labels for the axes of a role.
    fn own_axes(&self, role: Role, name: &str, labels: &mut Labels) -> Vec<usize> {
        self.role(role).into_iter().map(|extent| labels.add(extent, name)).collect()
    }

    /// An operand of the matrix's elements in those of the equation, behind the axes of the batch.
    fn operand(&self, value: &Link<Value<'a>>, axes: impl IntoIterator<Item = Axis>) -> Tree<'a> {
        let axes = self.batch.iter().cloned().chain(axes).collect();
        let tree = Tree::Operand(Link::clone(value), axes);
        if value.dtype == self.dtype { tree } else { cast(tree, value.dtype, self.dtype) }
    }

    /// The complex conjugate of an operand.
    fn conjugate(&self, tree: Tree<'a>) -> Tree<'a> {
        if self.dtype.is_complex() { conjugated(tree) } else { tree }
    }
}

/// The number of eigenvalues or singular values, those that a truncation leaves out included.
fn number_of_states(call: &Factorised<'_>) -> usize {
    let [rows, columns] = [Role::Row, Role::Column].map(|role| role_extents(call, role).iter().product::<usize>());
    rows.min(columns)
}

/// The extents of the axes of a role.
fn role_extents(call: &Factorised<'_>, role: Role) -> Vec<usize> {
    let own = call.call.labels(&[role]);
    own[call.call.batch..].iter().map(|&label| call.extents[label]).collect()
}

/// A product of factors.
fn product<'a>(factors: impl IntoIterator<Item = Tree<'a>>) -> Tree<'a> {
    factors.into_iter().reduce(times).expect("there are factors")
}

/// The axis that runs with a label.
fn axis(label: usize) -> Axis {
    Axis::Label { label, start: 0 }
}

/// The axes that run with these labels.
fn axes(labels: &[usize]) -> Vec<Axis> {
    plain(labels.iter().copied())
}

/// One of the results of an operation.
fn result<'a>(call: &Arc<Factorised<'a>>, n: usize) -> Link<Value<'a>> {
    let outcome = &call.call.form().results[n];
    let extents = call.call.labels(outcome.roles).iter().map(|&label| call.extents[label]).collect();
    let dtype = call.call.dtype(outcome.elements, call.arguments[0].dtype);
    Link::new(Value { extents, dtype, source: Source::Factorised(Arc::clone(call), n) })
}
