//! Walks over whole recordings: what values are made of, and the same values made of other parts. Chains may be of any length, so no
//! walk recurses.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::value::{Factorised, Inlined, Solved, Source, Tree, Value};
use crate::link::Link;
use crate::tensor::AnyRef;

type Address = usize;

fn address(value: &Link<Value<'_>>) -> Address {
    Link::address(value).addr()
}

/// Visits what a value is made of, whether or not it must be computed.
fn parts<'v, 'a>(value: &'v Value<'a>, visit: &mut dyn FnMut(&'v Link<Value<'a>>)) {
    match &value.source {
        Source::Tensor(_) | Source::Computed(..) => {}
        Source::Equation { tree, .. } => tree.operands(&mut |operand, _| visit(operand)),
        Source::Factorised(call, _) => call.arguments.iter().for_each(visit),
        Source::Graph(inlined, _) => inlined.operands.iter().for_each(visit),
        Source::Reshaped(inner) | Source::Held(inner) => visit(inner),
        Source::Solved(solved, _) => solved.arguments.iter().for_each(visit),
        Source::Written { base, part, .. } => [part].into_iter().chain(base).for_each(visit),
    }
}

/// All values that some values are made of, themselves included, each after what it is made of.
#[derive(Debug)]
pub(crate) struct Reach<'a> {
    pub(crate) values: Vec<Link<Value<'a>>>,
}

impl<'a> Reach<'a> {
    pub(crate) fn new(of: &[Link<Value<'a>>]) -> Reach<'a> {
        Reach::beyond(of, HashSet::new())
    }

    /// The same without some values, which are told by their addresses, and without what only these are made of.
    pub(crate) fn beyond(of: &[Link<Value<'a>>], mut done: HashSet<Address>) -> Reach<'a> {
        let (mut values, mut opened) = (Vec::new(), HashSet::new());
        let mut open: Vec<Link<Value<'a>>> = of.iter().rev().map(Link::clone).collect();
        while let Some(value) = open.last().cloned() {
            if done.contains(&address(&value)) {
                open.pop();
            } else if opened.insert(address(&value)) {
                let own = open.len();
                parts(&value, &mut |part| {
                    if !done.contains(&address(part)) {
                        open.push(Link::clone(part));
                    }
                });
                open[own..].reverse();
            } else {
                done.insert(address(&value));
                open.pop();
                values.push(value);
            }
        }
        Reach { values }
    }

    /// Whether a value is one of them.
    pub(crate) fn contains(&self, value: &Link<Value<'_>>) -> bool {
        self.values.iter().any(|known| address(known) == address(value))
    }

    /// The tensors of the program among them.
    pub(crate) fn tensors(&self) -> impl Iterator<Item = &AnyRef<'a>> {
        self.values.iter().filter_map(|value| match &value.source {
            Source::Tensor(tensor) => Some(tensor),
            _ => None,
        })
    }

    /// The tensors of the program that solutions depend on.
    pub(crate) fn tensors_of_solutions(&self) -> Vec<AnyRef<'a>> {
        let is_solved = |value: &&Link<Value<'a>>| matches!(value.source, Source::Solved(..));
        let solved: Vec<_> = self.values.iter().filter(is_solved).map(Link::clone).collect();
        Reach::new(&solved).tensors().cloned().collect()
    }

    /// Whether a solution among them depends on one of these values.
    pub(crate) fn has_solution_of(&self, inputs: &[Link<Value<'a>>]) -> bool {
        let depending = self.depending(inputs);
        let is_solved = |value: &&Link<Value<'a>>| matches!(value.source, Source::Solved(..));
        self.values.iter().filter(is_solved).any(|value| depending.contains(&address(value)))
    }

    /// The values that depend on some of them, by their addresses.
    fn depending(&self, on: &[Link<Value<'a>>]) -> HashSet<Address> {
        let mut found: HashSet<Address> = on.iter().map(address).collect();
        for value in &self.values {
            let mut depends = false;
            parts(value, &mut |part| depends |= found.contains(&address(part)));
            if depends {
                found.insert(address(value));
            }
        }
        found
    }

    /// Of what values are made besides `state`, as far as it does not depend on `state`.
    pub(crate) fn besides(&self, state: &[Link<Value<'a>>], values: &[Link<Value<'a>>]) -> Vec<Link<Value<'a>>> {
        let depending = self.depending(state);
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        let mut visit = |value: &Link<Value<'a>>| {
            if !depending.contains(&address(value)) && seen.insert(address(value)) {
                found.push(Link::clone(value));
            }
        };
        values.iter().for_each(&mut visit);
        let is_inside = |value: &&Link<Value<'a>>| {
            depending.contains(&address(value)) && !state.iter().any(|one| address(one) == address(value))
        };
        self.values.iter().filter(is_inside).for_each(|value| parts(value, &mut |part| visit(part)));
        found
    }
}

/// The same values made of other parts: `to` in place of `from`. The two have equal elements, so that what was computed stays as it is.
pub(crate) fn rebuilt<'a>(values: &[Link<Value<'a>>], from: &[Link<Value<'a>>], to: &[Link<Value<'a>>]) -> Vec<Link<Value<'a>>> {
    let reach = Reach::new(values);
    let depending = reach.depending(from);
    let mut new = Rebuilt::default();
    new.values.extend(from.iter().zip(to).map(|(from, to)| (address(from), Link::clone(to))));
    for value in &reach.values {
        if depending.contains(&address(value)) && !new.values.contains_key(&address(value)) {
            let source = new.source(&value.source);
            let made = Link::new(Value { extents: value.extents.clone(), dtype: value.dtype, source });
            new.values.insert(address(value), made);
        }
    }
    values.iter().map(|value| new.value(value)).collect()
}

/// What was made anew, by the addresses of what it replaces.
#[derive(Default)]
struct Rebuilt<'a> {
    values: HashMap<Address, Link<Value<'a>>>,
    calls: HashMap<Address, Arc<Factorised<'a>>>,
    graphs: HashMap<Address, Arc<Inlined<'a>>>,
    solved: HashMap<Address, Arc<Solved<'a>>>,
}

impl<'a> Rebuilt<'a> {
    fn value(&self, value: &Link<Value<'a>>) -> Link<Value<'a>> {
        self.values.get(&address(value)).map_or_else(|| Link::clone(value), Link::clone)
    }

    fn all(&self, values: &[Link<Value<'a>>]) -> Vec<Link<Value<'a>>> {
        values.iter().map(|value| self.value(value)).collect()
    }

    fn source(&mut self, source: &Source<'a>) -> Source<'a> {
        match source {
            Source::Tensor(tensor) => Source::Tensor(tensor.clone()),
            Source::Computed(tensor, meaning) => Source::Computed(Arc::clone(tensor), *meaning),
            Source::Equation { tree, extents, axes, names } => {
                let tree = self.tree(tree);
                Source::Equation { tree, extents: extents.clone(), axes: axes.clone(), names: names.clone() }
            }
            Source::Factorised(call, n) => {
                let arguments = self.all(&call.arguments);
                let make = || Factorised { call: call.call.clone(), extents: call.extents.clone(), arguments };
                Source::Factorised(once(&mut self.calls, call, make), *n)
            }
            Source::Graph(inlined, n) => {
                let operands = self.all(&inlined.operands);
                let make = || Inlined { graph: Arc::clone(&inlined.graph), operands };
                Source::Graph(once(&mut self.graphs, inlined, make), *n)
            }
            Source::Reshaped(inner) => Source::Reshaped(self.value(inner)),
            Source::Held(inner) => Source::Held(self.value(inner)),
            Source::Solved(solved, n) => {
                let arguments = self.all(&solved.arguments);
                let (solution, step) = (solved.solution.clone(), Arc::clone(&solved.step));
                let make = || Solved { solution, arguments, step, solver: Arc::clone(&solved.solver) };
                Source::Solved(once(&mut self.solved, solved, make), *n)
            }
            Source::Written { base, axes, part } => {
                Source::Written { base: base.as_ref().map(|base| self.value(base)), axes: axes.clone(), part: self.value(part) }
            }
        }
    }

    fn tree(&self, tree: &Tree<'a>) -> Tree<'a> {
        match tree {
            Tree::Operand(value, axes) => Tree::Operand(self.value(value), axes.clone()),
            other => other.with_parts(|part| self.tree(part)),
        }
    }
}

/// The new one for something that several values share.
fn once<X>(made: &mut HashMap<Address, Arc<X>>, old: &Arc<X>, make: impl FnOnce() -> X) -> Arc<X> {
    Arc::clone(made.entry(Arc::as_ptr(old).addr()).or_insert_with(|| Arc::new(make())))
}
