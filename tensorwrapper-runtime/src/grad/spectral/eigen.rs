//! Changes of functions of a Hermitian matrix.
//!
//! With M = Cᴴ·dA·C the change of `C[p, n] * g[n] * conj(C[q, n])` is `C[p, a] * g[a, b] * M[a, b] * conj(C[q, b])`. In a metric, which
//! changes by dS, N = Cᴴ·dS·C: there M − ½·(e[a] + e[b])·N stands for M, and vectors change by −½·C·N besides.

use super::super::build::{Labels, binary, number};
use super::form::{Spectral, Weight, axes, axis, product, result};
use super::weights::{Change, Places, Slope};
use crate::expr::{Axis, Tree, Value};
use crate::link::Link;
use tensorwrapper_core::backend::linear::Role;
use tensorwrapper_core::error::Error;
use tensorwrapper_notation::syntax::Operator;

/// The changes for Hermitian changes of the matrix and of its metric.
pub(super) fn changes<'a>(
    spectral: &Spectral<'a>,
    labels: &mut Labels,
    bound: &[usize],
    arguments: &[Option<Link<Value<'a>>>],
    slope: Slope<'_, 'a>,
) -> Result<Vec<Change<'a>>, Error> {
    let mut walk = Walk { spectral, bound, found: Vec::new() };
    let metric = arguments.get(1).and_then(Option::as_ref);
    match &spectral.weight {
        Weight::Function { value, axes: own, is_one, .. } => {
            // The sum over all states is the identity, or the inverse of the metric.
            if !is_one {
                let table = spectral.table(labels, Places::Values, slope)?;
                let weight = table.differences(1)?;
                walk.function(labels, own, (&weight, arguments[0].as_ref(), metric));
            }
            if let Some(metric) = metric {
                walk.vectors(labels, own, value, metric);
            }
        }
        Weight::Divided { table, axes: own } => {
            let weight = table.differences(spectral.pairs.len())?;
            if let Some(change) = &arguments[0] {
                (0..spectral.pairs.len()).for_each(|n| walk.divided(labels, own, (&weight, change), n));
            }
        }
    }
    Ok(walk.found)
}

struct Walk<'w, 'a> {
    spectral: &'w Spectral<'a>,
    bound: &'w [usize],
    found: Vec<Change<'a>>,
}

impl<'a> Walk<'_, 'a> {
    /// `C[rows, state]`
    fn vector(&self, rows: &[Axis], state: &Axis) -> Tree<'a> {
        self.spectral.operand(&result(&self.spectral.call, 1), rows.iter().chain([state]).cloned())
    }

    /// The product `conj(C[i, a]) * H[i, j] * C[j, b]` with a change H, and its labels.
    fn middle(&self, labels: &mut Labels, change: &Link<Value<'a>>, [a, b]: [&Axis; 2]) -> (Vec<usize>, Tree<'a>) {
        let spectral = self.spectral;
        let rows = spectral.own_axes(Role::Row, "i", labels);
        let columns = spectral.own_axes(Role::Column, "j", labels);
        let (left, right) = (spectral.conjugate(self.vector(&axes(&rows), a)), self.vector(&axes(&columns), b));
        let change = spectral.operand(change, axes(&rows).into_iter().chain(axes(&columns)));
        ([rows, columns].concat(), product([left, change, right]))
    }

    fn push(&mut self, without: &[usize], own: &[usize], factors: Vec<Tree<'a>>) {
        let kept = self.bound.iter().copied().filter(|label| !without.contains(label));
        self.found.push((kept.chain(own.iter().copied()).collect(), product(factors)));
    }

    /// The change through the divided differences of first order.
    fn function(
        &mut self,
        labels: &mut Labels,
        own: &[usize],
        (weight, change, metric): (&Link<Value<'a>>, Option<&Link<Value<'a>>>, Option<&Link<Value<'a>>>),
    ) {
        let spectral = self.spectral;
        let pair = &spectral.pairs[0];
        let [a, b] = ["n", "m"].map(|name| labels.add(spectral.states(), name));
        let differences = Tree::Operand(Link::clone(weight), axes(&[own, &[a, b]].concat()));
        let values = result(&spectral.call, 0);
        let [at_a, at_b] = [axis(a), axis(b)];
        let mean = |state: &Axis| spectral.operand(&values, [state.clone()]);
        for (change, is_metric) in [(change, false), (metric, true)] {
            let Some(change) = change else { continue };
            let factor = match is_metric {
                true => product([number(-0.5), binary(Operator::Add, mean(&at_a), mean(&at_b))]),
                false => number(1.0),
            };
            let (inner, middle) = self.middle(labels, change, [&at_a, &at_b]);
            let (left, right) = (self.vector(&pair.left, &at_a), spectral.conjugate(self.vector(&pair.right, &at_b)));
            let factors = vec![spectral.rest.clone(), factor, left, differences.clone(), middle, right];
            self.push(&[pair.label], &[&[a, b], &inner[..]].concat(), factors);
        }
    }

    /// The change −½·C·N of both vectors.
    fn vectors(&mut self, labels: &mut Labels, own: &[usize], function: &Link<Value<'a>>, metric: &Link<Value<'a>>) {
        let spectral = self.spectral;
        let pair = &spectral.pairs[0];
        let other = labels.add(spectral.states(), "m");
        // The function is known for the states that the term reads.
        let weight = Tree::Operand(Link::clone(function), axes(&[own, &[pair.label]].concat()));
        let (state, at_other) = (Axis::Label { label: pair.label, start: pair.start }, axis(other));
        for is_left in [true, false] {
            let (left, right) = if is_left { (&at_other, &state) } else { (&state, &at_other) };
            let (inner, middle) = self.middle(labels, metric, [left, right]);
            let (left, right) = (self.vector(&pair.left, left), spectral.conjugate(self.vector(&pair.right, right)));
            let factors = vec![number(-0.5), spectral.rest.clone(), left, weight.clone(), middle, right];
            self.push(&[], &[&[other], &inner[..]].concat(), factors);
        }
    }

    /// The change of one pair through the divided differences of one order more.
    fn divided(&mut self, labels: &mut Labels, own: &[usize], (weight, change): (&Link<Value<'a>>, &Link<Value<'a>>), n: usize) {
        let spectral = self.spectral;
        let new = labels.add(spectral.states(), "m");
        let mut states: Vec<usize> = spectral.pairs.iter().map(|pair| pair.label).collect();
        let label = states[n];
        states.insert(n + 1, new);
        let (inner, middle) = self.middle(labels, change, [&axis(label), &axis(new)]);
        let mut factors = vec![spectral.rest.clone()];
        factors.push(Tree::Operand(Link::clone(weight), axes(&[own, &states[..]].concat())));
        for (m, pair) in spectral.pairs.iter().enumerate() {
            factors.push(self.vector(&pair.left, &axis(pair.label)));
            let right = axis(if m == n { new } else { pair.label });
            factors.push(spectral.conjugate(self.vector(&pair.right, &right)));
        }
        factors.push(middle);
        self.push(&[], &[&[new], &inner[..]].concat(), factors);
    }
}
