//! Changes of functions of a matrix by its singular values.
//!
//! With P = Uᴴ·dA·Vᴴ and its Hermitian and antihermitian parts H and K, the change of `U[p, n] * g[n] * V[n, q]` is
//! `U[p, a] * (g[s(a), s(b)] * H[a, b] + g[s(a), −s(b)] * K[a, b]) * V[b, q]` with the divided differences of the odd function that g is
//! for positive values. Of functions with U on both sides the function is even and K changes its sign, of functions with V on both sides it
//! is even and K does not. Vectors that belong to no state, the rest of dA, are weighed with the difference between the state and 0.

use super::super::build::{Labels, binary, number};
use super::form::{Kind, Spectral, Weight, axes, axis, product, result};
use super::weights::{Change, Places, Slope};
use crate::expr::{Axis, Tree, Value};
use crate::link::Link;
use tensorwrapper_core::backend::linear::Role;
use tensorwrapper_core::error::Error;
use tensorwrapper_notation::syntax::Operator;

/// The changes for a change of the matrix.
pub(super) fn changes<'a>(
    spectral: &Spectral<'a>,
    labels: &mut Labels,
    bound: &[usize],
    change: &Option<Link<Value<'a>>>,
    slope: Slope<'_, 'a>,
) -> Result<Vec<Change<'a>>, Error> {
    let (Some(change), Weight::Function { axes: own, .. }) = (change, &spectral.weight) else { return Ok(Vec::new()) };
    let [rows, columns] = [Role::Row, Role::Column].map(|role| spectral.role(role).iter().product::<usize>());
    let (has_left, has_right) = (rows > columns, columns > rows);
    let has_null = match spectral.kind {
        Kind::Left => has_left,
        Kind::Right => has_right,
        Kind::Across | Kind::Eigen => has_left || has_right,
    };
    let places = if spectral.kind == Kind::Across { Places::Odd { has_null } } else { Places::Even { has_null } };
    let weight = spectral.table(labels, places, slope)?.differences(1)?;
    let mut walk = Walk { spectral, bound, own, change, weight: &weight, found: Vec::new() };
    walk.inside(labels);
    match spectral.kind {
        Kind::Left if has_null => [true, false].into_iter().for_each(|is_left| walk.left(labels, is_left)),
        Kind::Right if has_null => [true, false].into_iter().for_each(|is_left| walk.right(labels, is_left)),
        Kind::Across if has_left => walk.left(labels, true),
        Kind::Across if has_right => walk.right(labels, false),
        _ => {}
    }
    Ok(walk.found)
}

struct Walk<'w, 'a> {
    spectral: &'w Spectral<'a>,
    bound: &'w [usize],
    /// The function's other axes.
    own: &'w [usize],
    change: &'w Link<Value<'a>>,
    /// The divided differences.
    weight: &'w Link<Value<'a>>,
    found: Vec<Change<'a>>,
}

impl<'a> Walk<'_, 'a> {
    /// `U[rows, state]`
    fn u(&self, rows: &[Axis], state: usize) -> Tree<'a> {
        self.spectral.operand(&result(&self.spectral.whole, 0), rows.iter().cloned().chain([axis(state)]))
    }

    /// `V[state, columns]`
    fn v(&self, state: usize, columns: &[Axis]) -> Tree<'a> {
        self.spectral.operand(&result(&self.spectral.whole, 2), [axis(state)].into_iter().chain(columns.iter().cloned()))
    }

    /// The change of the matrix.
    fn da(&self, rows: &[Axis], columns: &[Axis]) -> Tree<'a> {
        self.spectral.operand(self.change, rows.iter().chain(columns).cloned())
    }

    fn conj(&self, tree: Tree<'a>) -> Tree<'a> {
        self.spectral.conjugate(tree)
    }

    /// The vectors on the left of the term, at a state.
    fn outer_left(&self, state: usize) -> Tree<'a> {
        let rows = &self.spectral.pairs[0].left;
        if self.spectral.kind == Kind::Right { self.conj(self.v(state, rows)) } else { self.u(rows, state) }
    }

    /// The vectors on the right.
    fn outer_right(&self, state: usize) -> Tree<'a> {
        let columns = &self.spectral.pairs[0].right;
        if self.spectral.kind == Kind::Left { self.conj(self.u(columns, state)) } else { self.v(state, columns) }
    }

    fn push(&mut self, own: &[usize], factors: impl IntoIterator<Item = Tree<'a>>) {
        let states = self.spectral.pairs[0].label;
        let bound = self.bound.iter().copied().filter(|label| *label != states).chain(own.iter().copied()).collect();
        self.found.push((bound, product([self.spectral.rest.clone()].into_iter().chain(factors))));
    }

    /// The weights of P[a, b] and of conj(P[b, a]): half of the sum and of the difference of those of H and of K.
    fn weights(&self, labels: &Labels, [a, b]: [usize; 2]) -> [Tree<'a>; 2] {
        let over = [self.own, &[a, b]].concat();
        let read = |start: usize| {
            let last = Axis::Label { label: b, start };
            let all = axes(self.own).into_iter().chain([axis(a), last]).collect();
            Tree::Operand(Link::clone(self.weight), all)
        };
        let [first, second] = match self.spectral.kind {
            Kind::Left => [Operator::Subtract, Operator::Add],
            Kind::Across | Kind::Right | Kind::Eigen => [Operator::Add, Operator::Subtract],
        };
        [first, second].map(|operator| {
            let both = binary(operator, read(0), read(self.spectral.states()));
            let value = labels.value(product([number(0.5), both]), over.clone(), self.spectral.dtype);
            Tree::Operand(value, axes(&over))
        })
    }

    /// The change between states.
    fn inside(&mut self, labels: &mut Labels) {
        let spectral = self.spectral;
        let [a, b] = ["n", "m"].map(|name| labels.add(spectral.states(), name));
        let [direct, turned] = self.weights(labels, [a, b]);
        let rows = spectral.own_axes(Role::Row, "i", labels);
        let columns = spectral.own_axes(Role::Column, "j", labels);
        let own = [&[a, b][..], &rows[..], &columns[..]].concat();
        let (i, j) = (axes(&rows), axes(&columns));
        let middle = [self.conj(self.u(&i, a)), self.da(&i, &j), self.conj(self.v(b, &j))];
        self.push(&own, [self.outer_left(a), direct].into_iter().chain(middle).chain([self.outer_right(b)]));
        let middle = [self.u(&i, b), self.conj(self.da(&i, &j)), self.v(a, &j)];
        self.push(&own, [self.outer_left(a), turned].into_iter().chain(middle).chain([self.outer_right(b)]));
    }

    /// The divided difference between a state and 0.
    fn difference_to_zero(&self, state: usize) -> Tree<'a> {
        let last = Axis::Chip(2 * self.spectral.states());
        Tree::Operand(Link::clone(self.weight), axes(self.own).into_iter().chain([axis(state), last]).collect())
    }

    /// What left vectors take from the space outside of U: (1 − U·Uᴴ)·dA·Vᴴ, on the left of the term or, conjugated, on its right.
    fn left(&mut self, labels: &mut Labels, is_left: bool) {
        let spectral = self.spectral;
        let state = labels.add(spectral.states(), "n");
        let columns = spectral.own_axes(Role::Column, "j", labels);
        let j = axes(&columns);
        let pair = &spectral.pairs[0];
        let outer = if is_left { &pair.left } else { &pair.right };
        let (weight, other) =
            (self.difference_to_zero(state), if is_left { self.outer_right(state) } else { self.outer_left(state) });
        let turn = |walk: &Self, tree: Tree<'a>| if is_left { tree } else { walk.conj(tree) };
        let direct = [self.da(outer, &j), self.conj(self.v(state, &j))].map(|tree| turn(self, tree));
        self.push(&[&[state], &columns[..]].concat(), [weight.clone(), other.clone()].into_iter().chain(direct));
        let inner = labels.add(spectral.states(), "m");
        let rows = spectral.own_axes(Role::Row, "i", labels);
        let i = axes(&rows);
        let inside = [self.u(outer, inner), self.conj(self.u(&i, inner)), self.da(&i, &j), self.conj(self.v(state, &j))];
        let inside = inside.map(|tree| turn(self, tree));
        let own = [&[state, inner], &columns[..], &rows[..]].concat();
        self.push(&own, [number(-1.0), weight, other].into_iter().chain(inside));
    }

    /// What right vectors take from the space outside of V: Uᴴ·dA·(1 − Vᴴ·V), on the right of the term or, conjugated, on its left.
    fn right(&mut self, labels: &mut Labels, is_left: bool) {
        let spectral = self.spectral;
        let state = labels.add(spectral.states(), "n");
        let rows = spectral.own_axes(Role::Row, "i", labels);
        let i = axes(&rows);
        let pair = &spectral.pairs[0];
        let outer = if is_left { &pair.left } else { &pair.right };
        let (weight, other) =
            (self.difference_to_zero(state), if is_left { self.outer_right(state) } else { self.outer_left(state) });
        let turn = |walk: &Self, tree: Tree<'a>| if is_left { walk.conj(tree) } else { tree };
        let direct = [self.conj(self.u(&i, state)), self.da(&i, outer)].map(|tree| turn(self, tree));
        self.push(&[&[state], &rows[..]].concat(), [weight.clone(), other.clone()].into_iter().chain(direct));
        let inner = labels.add(spectral.states(), "m");
        let columns = spectral.own_axes(Role::Column, "j", labels);
        let j = axes(&columns);
        let inside = [self.conj(self.u(&i, state)), self.da(&i, &j), self.conj(self.v(inner, &j)), self.v(inner, outer)];
        let inside = inside.map(|tree| turn(self, tree));
        let own = [&[state, inner], &columns[..], &rows[..]].concat();
        self.push(&own, [number(-1.0), weight, other].into_iter().chain(inside));
    }
}
