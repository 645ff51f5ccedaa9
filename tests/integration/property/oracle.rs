//! What an equation means, by the language's rules alone: labels are resolved from the text, then every element is
//! computed by recursion over index assignments. Shares nothing with the library.

use num_complex::Complex;

use crate::property::evaluate::{Evaluator, Value, indices};
use crate::property::tree::{Comparison, Equation, Exchange, Fold, Function, Index, Join, Name, Op, Tree};

/// Why an equation has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Labels break a rule of the language.
    Label,
    /// Extents disagree, or a maximum has nothing to choose from.
    Value,
    /// `...` of subscripts stands for axes, and the result has none for them.
    Rank,
}

/// A tensor for reading: extents, elements in row-major order.
pub struct Data {
    pub extents: Vec<usize>,
    pub elements: Vec<Complex<f64>>,
}

/// The result: extents, elements in row-major order.
pub struct Answer {
    pub extents: Vec<usize>,
    pub elements: Vec<Value>,
}

pub type Label = usize;

/// A right side whose labels are numbers and whose sums are explicit.
pub enum Node {
    Operand(usize, Vec<Axis>),
    Number(f64),
    Iota(Label),
    Negate(Box<Node>),
    Binary(Op, Box<Node>, Box<Node>),
    Apply(Function, Box<Node>),
    Fold(Fold, Vec<Label>, Box<Node>),
    Clip(Box<[Node; 3]>),
    Select(Box<[Node; 3]>),
    Compare(Comparison, Box<[Node; 2]>),
    Join(Join, Box<[Node; 2]>),
    Not(Box<Node>),
}

pub enum Axis {
    Label(Label, usize),
    Chip(usize),
    Fused(Vec<Label>),
}

/// The names of remaining axes, from the last one on.
const REMAINING: [Name; 4] = ["..1", "..2", "..3", "..4"];

/// The numbers that are computed with.
#[derive(Clone, Copy)]
pub struct Numbers {
    pub complex: bool,
    /// What is larger, or smaller than its inverse, is out of range: the scale of everything made of it is infinite.
    pub largest: f64,
    /// The relative precision of the element type.
    pub precision: f64,
}

/// The answer of an equation.
pub fn answer(equation: &Equation, data: &[Data], numbers: Numbers) -> Result<Answer, Refusal> {
    let (written, mut refused) = (equation, Ok(()));
    let equation = &spelled_out(written, data);
    let names = equation.left_labels();
    let mut resolver = Resolver::new(data, &equation.declared);
    let mut scope = Vec::new();
    for name in &names {
        if !scope.iter().any(|(known, _)| known == name) {
            scope.push((*name, resolver.new_label(name)));
        }
    }
    let is_fused = equation.left.iter().any(|axis| matches!(axis, Index::Fused(_)));
    let keeps_rest = has_rest(&written.left);
    if is_fused && scope.len() < names.len() || keeps_rest != tree_has_rest(&written.right) {
        refused = Err(Refusal::Label);
    }
    for (term, as_written) in terms(&equation.right).into_iter().zip(terms(&written.right)) {
        // Rule 3: every term of the right side has every label of the left, and as many remaining axes.
        let lacks = |name: &&Name| !term.has(name);
        if keeps_rest && !tree_has_rest(as_written) || names.iter().filter(|name| !REMAINING.contains(name)).any(|n| lacks(&n)) {
            refused = Err(Refusal::Label);
        } else if names.iter().any(|n| lacks(&n)) {
            resolver.values = Err(Refusal::Value);
        }
    }
    let node = resolver.sum(&equation.right, &scope, false);
    refused?;
    let extents = resolver.finish(&node, numbers.complex)?;
    let left: Vec<Label> = names.iter().map(|name| find(&scope, name).expect("left labels are in scope")).collect();
    let evaluator = Evaluator { data, extents: &extents, numbers };
    let shape: Vec<usize> = left.iter().map(|&l| extents[l]).collect();
    let mut assignment = vec![0; extents.len()];
    let elements = indices(&shape).map(|index| {
        // A repeated label on the left: the diagonal, and zero elsewhere.
        left.iter().zip(&index).for_each(|(&l, &i)| assignment[l] = i);
        match left.iter().zip(&index).all(|(&l, &i)| assignment[l] == i) {
            true => evaluator.value(&node, &mut assignment),
            false => Value { value: Complex::ZERO, scale: 0.0 },
        }
    });
    let elements = elements.collect();
    // Fused labels are one axis of the same elements in the same order.
    let mut apart = shape.into_iter();
    let joined =
        equation.left.iter().map(|axis| axis.labels().iter().map(|_| apart.next().expect("an extent a label")).product());
    Ok(Answer { extents: joined.collect(), elements })
}

/// The answer of subscripts, where `...` on one side alone stands for no axes.
pub fn answer_of_subscripts(equation: &Equation, data: &[Data], numbers: Numbers) -> Result<Answer, Refusal> {
    if has_rest(&equation.left) == tree_has_rest(&equation.right) {
        return answer(equation, data, numbers);
    }
    let without = |indices: &[Index]| indices.iter().filter(|index| !matches!(index, Index::Rest)).cloned().collect::<Vec<_>>();
    let fits = std::cell::Cell::new(true);
    let closed = |n: usize, indices: &[Index]| {
        let indices = without(indices);
        fits.set(fits.get() && data[n].extents.len() == indices.len());
        indices
    };
    let right = equation.right.map(&closed, &|name| name);
    if fits.get() {
        return answer(&Equation { left: without(&equation.left), right, declared: equation.declared.clone() }, data, numbers);
    }
    // What is wrong with labels is said first, and is the same with `...` on both sides.
    let mut open = equation.clone();
    open.left.push(Index::Rest);
    match answer(&open, data, numbers) {
        Err(Refusal::Label) => Err(Refusal::Label),
        _ => Err(Refusal::Rank),
    }
}

fn has_rest(indices: &[Index]) -> bool {
    indices.iter().any(|index| matches!(index, Index::Rest))
}

fn tree_has_rest(tree: &Tree) -> bool {
    match tree {
        Tree::Operand(_, indices) => has_rest(indices),
        other => other.children().into_iter().any(tree_has_rest),
    }
}

/// The equation with a label for each of the remaining axes: the same ones in every operand, from the right.
fn spelled_out(equation: &Equation, data: &[Data]) -> Equation {
    let most = std::cell::Cell::new(0);
    let remaining = |axes: usize| REMAINING[..axes].iter().rev().map(|name| Index::Label(name));
    let indices = |n: usize, written: &[Index]| -> Vec<Index> {
        let axes = (data[n].extents.len() + 1).saturating_sub(written.len());
        if has_rest(written) {
            most.set(most.get().max(axes));
        }
        let spell = |index: &Index| match index {
            Index::Rest => remaining(axes).collect(),
            other => vec![other.clone()],
        };
        written.iter().flat_map(spell).collect()
    };
    let right = equation.right.map(&indices, &|name| name);
    let spell = |index: &Index| match index {
        Index::Rest => remaining(most.get()).collect(),
        other => vec![other.clone()],
    };
    Equation { left: equation.left.iter().flat_map(spell).collect(), right, declared: equation.declared.clone() }
}

fn find(scope: &[(Name, Label)], name: &str) -> Option<Label> {
    scope.iter().rev().find(|(known, _)| *known == name).map(|(_, label)| *label)
}

/// The terms of a sum.
fn terms(tree: &Tree) -> Vec<&Tree> {
    match tree {
        Tree::Binary(Op::Add | Op::Subtract, a, b) => [terms(a), terms(b)].concat(),
        other => vec![other],
    }
}

/// The factors of a term.
fn factors(tree: &Tree) -> Vec<&Tree> {
    match tree {
        Tree::Binary(Op::Multiply | Op::Divide, a, b) => [factors(a), factors(b)].concat(),
        Tree::Negate(inner) => factors(inner),
        other => vec![other],
    }
}

/// Every name that occurs in a tree.
fn names(tree: &Tree, found: &mut Vec<Name>) {
    let mut add = |name: Name| {
        if !found.contains(&name) {
            found.push(name);
        }
    };
    match tree {
        Tree::Operand(_, indices) => indices.iter().flat_map(Index::labels).for_each(|name| add(name)),
        Tree::Exchange(_, groups, _) => groups.iter().flatten().for_each(|name| add(name)),
        Tree::Spread(_, over) => over.iter().for_each(|name| add(name)),
        Tree::Iota(name) => add(name),
        _ => {}
    }
    tree.children().into_iter().for_each(|part| names(part, found));
}

struct Resolver<'d> {
    data: &'d [Data],
    declared: &'d [(Name, usize)],
    /// The extents at which each label was seen.
    extents: Vec<Vec<usize>>,
    /// Axes with several labels, and their extents.
    fused: Vec<(Vec<Label>, usize)>,
    labels: Result<(), Refusal>,
    values: Result<(), Refusal>,
}

impl<'d> Resolver<'d> {
    fn new(data: &'d [Data], declared: &'d [(Name, usize)]) -> Resolver<'d> {
        Resolver { data, declared, extents: Vec::new(), fused: Vec::new(), labels: Ok(()), values: Ok(()) }
    }

    fn new_label(&mut self, name: &str) -> Label {
        self.extents.push(self.declared.iter().filter(|(known, _)| *known == name).map(|(_, extent)| *extent).collect());
        self.extents.len() - 1
    }

    fn sum(&mut self, tree: &Tree, scope: &[(Name, Label)], nonlinear: bool) -> Node {
        match tree {
            Tree::Binary(op @ (Op::Add | Op::Subtract), a, b) => {
                Node::Binary(*op, Box::new(self.sum(a, scope, nonlinear)), Box::new(self.sum(b, scope, nonlinear)))
            }
            term => self.term(term, scope, nonlinear),
        }
    }

    /// Rules 2 and 4: which labels this term sums over.
    fn term(&mut self, term: &Tree, scope: &[(Name, Label)], nonlinear: bool) -> Node {
        let parts = factors(term);
        let mut candidates = Vec::new();
        names(term, &mut candidates);
        let (mut inner, mut own) = (scope.to_vec(), Vec::new());
        for name in candidates {
            let holders: Vec<&&Tree> = parts.iter().filter(|part| part.has(name)).collect();
            let inside_one_group = match holders.as_slice() {
                [] => true,
                [only] => !matches!(only, Tree::Operand(..) | Tree::Spread(..) | Tree::Iota(_)),
                _ => false,
            };
            if find(scope, name).is_none() && !inside_one_group {
                let label = self.new_label(name);
                inner.push((name, label));
                own.push(label);
                if nonlinear {
                    self.labels = Err(Refusal::Label);
                }
            }
        }
        let product = self.product(term, &inner, nonlinear);
        if own.is_empty() { product } else { Node::Fold(Fold::Sum, own, Box::new(product)) }
    }

    fn product(&mut self, tree: &Tree, scope: &[(Name, Label)], nonlinear: bool) -> Node {
        match tree {
            Tree::Operand(n, indices) => {
                let mut axes = Vec::new();
                for (index, &extent) in indices.iter().zip(&self.data[*n].extents) {
                    axes.push(match index {
                        Index::Label(name) => self.axis(scope, name, 0, extent),
                        Index::Slice(name, start, end) => self.axis(scope, name, *start, end.unwrap_or(extent) - start),
                        Index::Chip(position) => Axis::Chip(*position),
                        Index::Fused(names) => {
                            let labels: Vec<Label> =
                                names.iter().map(|name| find(scope, name).expect("the label is in scope")).collect();
                            self.fused.push((labels.clone(), extent));
                            Axis::Fused(labels)
                        }
                        Index::Rest => unreachable!("remaining axes were spelled out"),
                    });
                }
                Node::Operand(*n, axes)
            }
            Tree::Number(x) | Tree::Variable(x) | Tree::Spread(x, _) => Node::Number(*x),
            Tree::Iota(name) => Node::Iota(find(scope, name).expect("the label is in scope")),
            Tree::Negate(inner) => Node::Negate(Box::new(self.product(inner, scope, nonlinear))),
            Tree::Binary(op @ (Op::Multiply | Op::Divide), a, b) => {
                let below = nonlinear || *op == Op::Divide;
                Node::Binary(*op, Box::new(self.product(a, scope, nonlinear)), Box::new(self.product(b, scope, below)))
            }
            Tree::Binary(..) => self.sum(tree, scope, nonlinear),
            Tree::Parentheses(inner) => self.sum(inner, scope, nonlinear),
            Tree::Apply(function, inner) => {
                let linear = matches!(function, Function::Conj | Function::Re | Function::Im);
                Node::Apply(*function, Box::new(self.sum(inner, scope, nonlinear || !linear)))
            }
            Tree::Clip(parts) => Node::Clip(Box::new(parts.each_ref().map(|part| self.sum(part, scope, true)))),
            Tree::Select(parts) => Node::Select(Box::new(parts.each_ref().map(|part| self.sum(part, scope, true)))),
            Tree::Compare(comparison, sides) => {
                Node::Compare(*comparison, Box::new(sides.each_ref().map(|side| self.sum(side, scope, true))))
            }
            Tree::Join(join, parts) => Node::Join(*join, Box::new(parts.each_ref().map(|part| self.sum(part, scope, true)))),
            Tree::Not(inner) => Node::Not(Box::new(self.sum(inner, scope, true))),
            Tree::Exchange(kind, groups, inner) => {
                if groups.iter().flatten().any(|name| find(scope, name).is_none()) {
                    self.labels = Err(Refusal::Label);
                    return Node::Number(0.0);
                }
                let op = if *kind == Exchange::Sym { Op::Add } else { Op::Subtract };
                let twin = self.sum(&inner.exchanged(groups), scope, nonlinear);
                Node::Binary(op, Box::new(self.sum(inner, scope, nonlinear)), Box::new(twin))
            }
            Tree::Reduce(fold, bound, body) => {
                let (mut inner, mut labels) = (scope.to_vec(), Vec::new());
                for name in bound {
                    // A bound label lives inside only, and it lives there.
                    if find(scope, name).is_some() || !body.has(name) {
                        self.labels = Err(Refusal::Label);
                    }
                    let label = self.new_label(name);
                    inner.push((name, label));
                    labels.push(label);
                }
                Node::Fold(*fold, labels, Box::new(self.sum(body, &inner, nonlinear || !matches!(fold, Fold::Sum | Fold::Mean))))
            }
        }
    }

    fn axis(&mut self, scope: &[(Name, Label)], name: &str, start: usize, extent: usize) -> Axis {
        let label = find(scope, name).expect("a label of an operand belongs to the left, to a term, or to a reduction");
        self.extents[label].push(extent);
        Axis::Label(label, start)
    }

    /// One extent for each label.
    fn finish(mut self, node: &Node, complex: bool) -> Result<Vec<usize>, Refusal> {
        let fused: Vec<Label> = self.fused.iter().flat_map(|(labels, _)| labels).copied().collect();
        self.settle_fused();
        for (label, seen) in self.extents.iter().enumerate() {
            match seen.as_slice() {
                [] if fused.contains(&label) => self.values = Err(Refusal::Value),
                [] => self.labels = Err(Refusal::Label),
                [first, rest @ ..] if rest.iter().any(|other| other != first) => self.values = Err(Refusal::Value),
                _ => {}
            }
        }
        self.labels?;
        self.values?;
        let extents: Vec<usize> = self.extents.iter().map(|seen| seen[0]).collect();
        ordered(node, &extents, complex)?;
        Ok(extents)
    }
}

impl Resolver<'_> {
    /// Extents of labels on one axis make that axis' extent; one that nobody else knows is what the others leave.
    fn settle_fused(&mut self) {
        let mut settled = true;
        while std::mem::take(&mut settled) {
            for (labels, whole) in std::mem::take(&mut self.fused) {
                let known: usize = labels.iter().filter_map(|&l| self.extents[l].first()).product();
                let unknown: Vec<Label> = labels.iter().copied().filter(|&l| self.extents[l].is_empty()).collect();
                match unknown[..] {
                    [] if known == whole => {}
                    [one] if known > 0 && whole % known == 0 => {
                        self.extents[one].push(whole / known);
                        settled = true;
                    }
                    [] | [_] => self.values = Err(Refusal::Value),
                    _ => self.fused.push((labels, whole)),
                }
            }
        }
    }
}

/// Whether every maximum and minimum has real numbers to choose from.
fn ordered(node: &Node, extents: &[usize], complex: bool) -> Result<(), Refusal> {
    match node {
        Node::Operand(..) | Node::Number(_) | Node::Iota(_) => Ok(()),
        Node::Negate(inner) | Node::Apply(_, inner) | Node::Not(inner) => ordered(inner, extents, complex),
        Node::Binary(_, a, b) => ordered(a, extents, complex).and(ordered(b, extents, complex)),
        Node::Clip(parts) | Node::Select(parts) => parts.iter().try_for_each(|part| ordered(part, extents, complex)),
        Node::Compare(_, sides) | Node::Join(_, sides) => sides.iter().try_for_each(|side| ordered(side, extents, complex)),
        Node::Fold(fold, over, _) if fold.chooses() && (complex || over.iter().any(|&l| extents[l] == 0)) => Err(Refusal::Value),
        Node::Fold(_, _, inner) => ordered(inner, extents, complex),
    }
}
