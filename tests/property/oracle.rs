//! What an equation means, by the language's rules alone: labels are resolved from the text, then every element is
//! computed by recursion over index assignments. Shares nothing with the library.

use num_complex::Complex;

use crate::tree::{Equation, Fold, Function, Index, Name, Op, Tree};

/// Why an equation has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Labels break a rule of the language.
    Label,
    /// Extents disagree, or a maximum has nothing to choose from.
    Value,
}

/// A tensor for reading: extents, elements in row-major order.
pub struct Data {
    pub extents: Vec<usize>,
    pub elements: Vec<Complex<f64>>,
}

/// A value, and the size of what rounding may add to it for each unit of precision.
#[derive(Clone, Copy)]
pub struct Value {
    pub value: Complex<f64>,
    pub scale: f64,
}

/// The result: extents, elements in row-major order.
pub struct Answer {
    pub extents: Vec<usize>,
    pub elements: Vec<Value>,
}

type Label = usize;

/// A right side whose labels are numbers and whose sums are explicit.
enum Node {
    Operand(usize, Vec<Axis>),
    Number(f64),
    Negate(Box<Node>),
    Binary(Op, Box<Node>, Box<Node>),
    Apply(Function, Box<Node>),
    Fold(Fold, Vec<Label>, Box<Node>),
}

enum Axis {
    Label(Label, usize),
    Chip(usize),
}

/// The numbers that are computed with.
#[derive(Clone, Copy)]
pub struct Numbers {
    pub complex: bool,
    /// What is larger, or smaller than its inverse, is out of range: the scale of everything made of it is infinite.
    pub largest: f64,
}

/// The answer of an equation.
pub fn answer(equation: &Equation, data: &[Data], numbers: Numbers) -> Result<Answer, Refusal> {
    let mut resolver = Resolver { data, extents: Vec::new(), labels: Ok(()), values: Ok(()) };
    let mut scope = Vec::new();
    for name in &equation.left {
        if !scope.iter().any(|(known, _)| known == name) {
            scope.push((*name, resolver.new_label()));
        }
    }
    for term in terms(&equation.right) {
        // Rule 3: every term of the right side has every label of the left.
        if equation.left.iter().any(|name| !term.has(name)) {
            resolver.labels = Err(Refusal::Label);
        }
    }
    let node = resolver.sum(&equation.right, &scope, false);
    let extents = resolver.finish(&node, numbers.complex)?;
    let left: Vec<Label> = equation.left.iter().map(|name| find(&scope, name).expect("left labels are in scope")).collect();
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
    Ok(Answer { extents: shape, elements })
}

/// All positions in a shape, the last axis fastest.
fn indices(shape: &[usize]) -> impl Iterator<Item = Vec<usize>> + use<> {
    let (shape, count) = (shape.to_vec(), shape.iter().product::<usize>());
    (0..count).map(move |mut rest| {
        let mut index = vec![0; shape.len()];
        for axis in (0..shape.len()).rev() {
            index[axis] = rest % shape[axis];
            rest /= shape[axis];
        }
        index
    })
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
        Tree::Operand(_, indices) => indices.iter().for_each(|index| match index {
            Index::Label(name) | Index::Slice(name, ..) => add(name),
            Index::Chip(_) => {}
        }),
        Tree::Number(_) => {}
        Tree::Spread(_, over) => over.iter().for_each(|name| add(name)),
        Tree::Negate(inner) | Tree::Parentheses(inner) | Tree::Apply(_, inner) | Tree::Reduce(_, _, inner) => names(inner, found),
        Tree::Binary(_, a, b) => {
            names(a, found);
            names(b, found);
        }
    }
}

struct Resolver<'d> {
    data: &'d [Data],
    /// The extents at which each label was seen.
    extents: Vec<Vec<usize>>,
    labels: Result<(), Refusal>,
    values: Result<(), Refusal>,
}

impl Resolver<'_> {
    fn new_label(&mut self) -> Label {
        self.extents.push(Vec::new());
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
                [only] => !matches!(only, Tree::Operand(..) | Tree::Spread(..)),
                _ => false,
            };
            if find(scope, name).is_none() && !inside_one_group {
                let label = self.new_label();
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
                    });
                }
                Node::Operand(*n, axes)
            }
            Tree::Number(x) | Tree::Spread(x, _) => Node::Number(*x),
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
            Tree::Reduce(fold, bound, body) => {
                let (mut inner, mut labels) = (scope.to_vec(), Vec::new());
                for name in bound {
                    // A bound label lives inside only, and it lives there.
                    if find(scope, name).is_some() || !body.has(name) {
                        self.labels = Err(Refusal::Label);
                    }
                    let label = self.new_label();
                    inner.push((name, label));
                    labels.push(label);
                }
                Node::Fold(*fold, labels, Box::new(self.sum(body, &inner, nonlinear || *fold != Fold::Sum)))
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
        for seen in &self.extents {
            match seen.as_slice() {
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

/// Whether every maximum and minimum has real numbers to choose from.
fn ordered(node: &Node, extents: &[usize], complex: bool) -> Result<(), Refusal> {
    match node {
        Node::Operand(..) | Node::Number(_) => Ok(()),
        Node::Negate(inner) | Node::Apply(_, inner) => ordered(inner, extents, complex),
        Node::Binary(_, a, b) => ordered(a, extents, complex).and(ordered(b, extents, complex)),
        Node::Fold(Fold::Max | Fold::Min, over, _) if complex || over.iter().any(|&l| extents[l] == 0) => Err(Refusal::Value),
        Node::Fold(_, _, inner) => ordered(inner, extents, complex),
    }
}

struct Evaluator<'e> {
    data: &'e [Data],
    extents: &'e [usize],
    numbers: Numbers,
}

impl Evaluator<'_> {
    fn value(&self, node: &Node, assignment: &mut Vec<usize>) -> Value {
        let Value { value, scale } = self.unbounded(node, assignment);
        let size = value.norm();
        let in_range = size == 0.0 || size < self.numbers.largest && size > 1.0 / self.numbers.largest;
        Value { value, scale: if in_range { scale } else { f64::INFINITY } }
    }

    fn unbounded(&self, node: &Node, assignment: &mut Vec<usize>) -> Value {
        match node {
            Node::Operand(n, axes) => {
                let data = &self.data[*n];
                let place = axes.iter().zip(&data.extents).fold(0, |place, (axis, extent)| {
                    place * extent
                        + match axis {
                            Axis::Label(label, start) => start + assignment[*label],
                            Axis::Chip(position) => *position,
                        }
                });
                exact(data.elements[place])
            }
            Node::Number(x) => exact(Complex::new(*x, 0.0)),
            Node::Negate(inner) => {
                let Value { value, scale } = self.value(inner, assignment);
                Value { value: -value, scale }
            }
            Node::Binary(op, a, b) => binary(*op, self.value(a, assignment), self.value(b, assignment)),
            Node::Apply(function, inner) => self.apply(*function, self.value(inner, assignment)),
            Node::Fold(fold, over, inner) => self.fold(*fold, over, inner, assignment),
        }
    }

    fn fold(&self, fold: Fold, over: &[Label], inner: &Node, assignment: &mut Vec<usize>) -> Value {
        let shape: Vec<usize> = over.iter().map(|&l| self.extents[l]).collect();
        let mut found: Option<Value> = None;
        for index in indices(&shape) {
            over.iter().zip(&index).for_each(|(&l, &i)| assignment[l] = i);
            let next = self.value(inner, assignment);
            found = Some(match found {
                None => next,
                Some(known) => match fold {
                    Fold::Sum => binary(Op::Add, known, next),
                    Fold::Product => binary(Op::Multiply, known, next),
                    Fold::Max => best(known, next, known.value.re < next.value.re),
                    Fold::Min => best(known, next, known.value.re > next.value.re),
                },
            });
        }
        let nothing = if fold == Fold::Product { Complex::ONE } else { Complex::ZERO };
        found.unwrap_or(exact(nothing))
    }

    /// The value of a function, and its derivative for the scale.
    fn apply(&self, function: Function, Value { value: z, scale }: Value) -> Value {
        use Function::{Abs, Conj, Cos, Exp, Im, Ln, Powf, Powi, Re, Recip, Sin, Sqrt, Tan, Tanh};
        let real = |f: fn(f64) -> f64, g: fn(Complex<f64>) -> Complex<f64>| {
            if self.numbers.complex { g(z) } else { Complex::new(f(z.re), 0.0) }
        };
        let (value, slope) = match function {
            Exp => (real(f64::exp, Complex::exp), z.exp().norm()),
            Ln => (real(f64::ln, Complex::ln), 1.0 / z.norm()),
            Sqrt => (real(f64::sqrt, Complex::sqrt), 0.5 / z.norm().sqrt()),
            Abs => (Complex::new(z.norm(), 0.0), 1.0),
            Sin => (real(f64::sin, Complex::sin), z.cos().norm()),
            Cos => (real(f64::cos, Complex::cos), z.sin().norm()),
            Tan => (real(f64::tan, |z| z.sin() / z.cos()), z.cos().norm_sqr().recip()),
            Tanh => (real(f64::tanh, |z| z.sinh() / z.cosh()), z.cosh().norm_sqr().recip()),
            Recip => (Complex::new(1.0, 0.0) / z, z.norm_sqr().recip()),
            Conj => (z.conj(), 1.0),
            Re => (Complex::new(z.re, 0.0), 1.0),
            Im => (Complex::new(z.im, 0.0), 1.0),
            Powi(n) => (z.powi(n), f64::from(n.abs()) * z.norm().powi(n - 1)),
            Powf(p) => {
                let value = if self.numbers.complex { z.powf(p) } else { Complex::new(z.re.powf(p), 0.0) };
                (value, p.abs() * z.norm().powf(p - 1.0))
            }
        };
        Value { value, scale: value.norm() + slope * scale }
    }
}

fn exact(value: Complex<f64>) -> Value {
    Value { value, scale: value.norm() }
}

/// One of two, and the doubt of both.
fn best(known: Value, next: Value, take: bool) -> Value {
    Value { value: if take { next.value } else { known.value }, scale: known.scale.max(next.scale) }
}

fn binary(op: Op, a: Value, b: Value) -> Value {
    match op {
        Op::Add => Value { value: a.value + b.value, scale: a.scale + b.scale },
        Op::Subtract => Value { value: a.value - b.value, scale: a.scale + b.scale },
        Op::Multiply => Value { value: a.value * b.value, scale: a.scale * b.scale },
        Op::Divide => Value { value: a.value / b.value, scale: a.scale * b.scale / b.value.norm_sqr() },
    }
}
